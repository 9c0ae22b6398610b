"""What all components share: mounting, messages of bytes, the base class of views."""
