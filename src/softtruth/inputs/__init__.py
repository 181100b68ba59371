"""Files, frames and arrays in; one aligned problem out."""
