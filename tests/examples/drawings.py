"""What a drawing says."""

from xml.etree import ElementTree


def texts(drawn: str) -> list[str]:
    """The words of an SVG, in the order in which they stand there."""
    return [str(one.text) for one in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
