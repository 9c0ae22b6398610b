"""Shared code of all views: mounting, binary messages, and the JavaScript base class."""
