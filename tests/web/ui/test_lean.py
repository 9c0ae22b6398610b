"""What Streamlit is made to remember: the same messages, read once, and anew once settings change."""

import pytest
from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session

from spcviz.web.ui import lean

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar")


@pytest.fixture
def streamlit(monkeypatch):
    """Streamlit's own functions, put back afterwards."""
    for name in lean.KNOWN:
        own = getattr(app_session, name)
        monkeypatch.setattr(app_session, name, getattr(own, "__wrapped__", own))
    return app_session


def filled():
    session = ForwardMsg().new_session
    app_session._populate_config_msg(session.config)
    for section in SECTIONS:
        message = session.custom_theme
        for part in section.split(".")[1:]:
            message = getattr(message, part)
        app_session._populate_theme_msg(message, *([section] if section != "theme" else []))
    return session.SerializeToString(deterministic=True)


def test_the_same_bytes(streamlit):
    before = filled()
    assert lean.install()
    assert filled() == before
    assert filled() == before
    once = app_session._populate_theme_msg
    assert lean.install()
    assert app_session._populate_theme_msg is once
    assert b"#2F2FBC" in before  # .streamlit/config.toml was read


def test_read_once_until_settings_change(streamlit, monkeypatch):
    asked = []
    monkeypatch.setattr(app_session, "_populate_config_msg", lambda msg: asked.append(msg))
    assert lean.install()
    for _ in range(3):
        app_session._populate_config_msg(ForwardMsg().new_session.config)
    assert len(asked) == 1
    config._on_config_parsed.send()
    app_session._populate_config_msg(ForwardMsg().new_session.config)
    assert len(asked) == 2


def test_a_streamlit_whose_inside_is_not_known_is_left_alone(streamlit, monkeypatch):
    own = app_session._populate_theme_msg
    monkeypatch.setattr(lean.st, "__version__", "1.999.0")
    assert not lean.install()
    monkeypatch.undo()
    own = app_session._populate_theme_msg
    monkeypatch.setattr(app_session, "_populate_config_msg", lambda msg, more: None)
    assert not lean.install()
    assert app_session._populate_theme_msg is own
