"""What the commands answer, one module for each kind of answer: rows, a document, tables for people."""
