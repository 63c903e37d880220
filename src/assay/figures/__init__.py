"""Arrays into SVG: the one figure layer. It knows numbers and names, and nothing of ratings or models.

`svg` and `style` are the ground; `axes` places marks; `figure` is a drawing with its title and legend;
`curves`, `densities`, `heatmap` and `intervals` make whole ones; `board` is a diagram of chess; `files`
writes a figure to the file that someone named.
"""
