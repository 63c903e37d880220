"""What moves lose: conformance and covariance (Alliot 2017, sections 3.2 and 3.3)."""
