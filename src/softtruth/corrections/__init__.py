"""Maps on the reference: other priors, and labels that are wrong."""
