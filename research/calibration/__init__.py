"""What makes the files of src/assay/data."""
