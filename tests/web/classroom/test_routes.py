"""The class's requests at a server: those of lecturers and phones, and anything else that may arrive."""

import json
from urllib.parse import quote

import numpy as np
import pytest
import segno

from spcviz.web.classroom import games, routes
from tests.web.classroom.client import ASKED, answer, opened, put, steer

GAME = {"code": "page/game", "ask": "Beat it", "choices": [], "most": 6, "link": "toy?mode=game&in=1234567"}


def test_a_phone_s_result_in_a_game_is_worked_out_here(lecturer, phone):
    """A claim counts only with purchases that add up to it, and a refusal says which do not."""
    toy = games.Game((1.0, 2.0), 0.0, np.array([[0, 0], [1, 5]]), np.array([[1, 0], [2, 1]]), 3)
    number = opened(lecturer)
    phone.at(number)
    assert put(lecturer, number, GAME | {"link": "toy?mode=other&in=1234567"}).status_code == 400
    games.keep("toy?mode=game", toy)
    assert put(lecturer, number, GAME | {"most": 7}).status_code == 400
    assert put(lecturer, number, GAME).status_code == 200

    def post(**said):
        return phone.post(f"/room/{number}/answer", content=json.dumps({"n": 1} | said))

    refused = {
        "value must be what these purchases come to, 4, got 6": {"value": 6, "picks": "0", "cuts": "1.1"},
        "cuts must hold one for each of 2 rounds, got 0": {"value": 4},
        "picks must cost at most 1": {"value": 4, "picks": "1", "cuts": "1.1"},
        "picks must be numbers of base 36": {"value": 4, "picks": {"0": 1}, "cuts": "1.1"},
        "cuts must be numbers of base 36": {"value": 4, "picks": "0", "cuts": [1, 1]},
    }
    for sentence, said in refused.items():
        answered = post(**said)
        assert answered.status_code == 400
        assert sentence in answered.json()["error"]
    assert lecturer.get(f"/room/{number}/now").json()["ranking"] == []
    assert post(value=4, picks="0", cuts="1.1").status_code == 200
    assert lecturer.get(f"/room/{number}/now").json()["ranking"] == [[4, 1]]


def test_a_lecturer_and_a_phone(lecturer, phone):
    number = opened(lecturer)
    assert 1_000_000 <= number <= 9_999_999
    phone.at(number)
    assert put(lecturer, number).status_code == 200
    assert answer(phone, number).status_code == 200
    assert lecturer.get(f"/room/{number}/now").json()["counts"] == [0, 1]
    seen = phone.get(f"/room/{number}/now")
    assert seen.headers["cache-control"] == "no-store"
    assert "counts" not in seen.json()
    assert put(phone, number).status_code == 403
    page = phone.get(f"/room/{number}")
    assert b"phone.js" in page.content
    assert "default-src 'self'" in page.headers["content-security-policy"]
    for name, kind in routes.FILES.items():
        assert phone.get(f"/room/{name}").headers["content-type"].startswith(kind)
    assert phone.get("/room/routes.py").status_code == 404


def test_the_key_is_in_a_cookie_that_no_script_reads(lecturer):
    said = lecturer.post("/room")
    cookie = said.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert list(said.json()) == ["room"], "the key is in no answer"


def test_the_lecturer_s_link_leads_a_phone_to_the_room(lecturer, phone):
    number = opened(lecturer)
    address = f"/exact_inference?tour=cascade&at=2&room={number}"
    there = phone.get(address)
    assert there.status_code == 302
    assert there.headers["location"] == f"./room/{number}"
    assert lecturer.get(address).status_code == 200, "who opened the room stays on the page"
    for bad in ("123456", "12345678", "//evil.example", "１２３４５６７", "9" * 5000, ""):
        assert phone.get(f"/letters?room={quote(bad)}").status_code == 200


@pytest.mark.parametrize(
    ("path", "content", "headers", "status"),
    [
        ("answer", b"{", {}, 400),
        ("answer", b"[]", {}, 400),
        ("answer", b"\xff", {}, 400),
        ("answer", b"{}", {}, 409),
        ("answer", b'{"n": NaN}', {}, 400),
        ("answer", b"[" * 250, {}, 400),
        ("answer", b"x" * 701, {}, 413),
        ("answer", b'{"n": 0, "value": 0, "found": 3}', {}, 400),
        ("hall", b"x" * 24_001, {}, 413),
        ("hall", b"[]", {}, 400),
        ("steer", b"x" * 301, {}, 413),
        ("steer", b"{}", {}, 400),
        ("steer", b'{"desk": "x", "order": 3}', {}, 400),
        ("steer", b'{"desk": "x"}', {}, 403),
        ("put", b"x" * 8001, {}, 413),
        ("put", b'{"ask": 3}', {}, 400),
        ("put", json.dumps(ASKED).encode(), {"sec-fetch-site": "cross-site"}, 403),
        ("put", json.dumps(ASKED).encode(), {"origin": "http://evil.example"}, 403),
        ("nothing", b"{}", {}, 404),
    ],
)
def test_other_requests_are_refused(lecturer, path, content, headers, status):
    number = opened(lecturer)
    lecturer.at(number)
    assert lecturer.post(f"/room/{number}/{path}", content=content, headers=headers).status_code == status
    assert not lecturer.get(f"/room/{number}/now").json()["isAsking"]


def test_the_code_is_that_of_the_address_of_the_room(port, lecturer):
    drawing = lecturer.get("/room/1234567/code")
    assert drawing.headers["content-type"] == "image/svg+xml"
    assert drawing.content == routes.draw_qr_code(f"http://127.0.0.1:{port}/room/1234567")
    assert drawing.content != routes.draw_qr_code(f"http://127.0.0.1:{port}/room/1234568")
    size = len(segno.make(f"http://127.0.0.1:{port}/room/1234567", micro=False).matrix)
    assert f'viewBox="0 0 {size + 8} {size + 8}"'.encode() in drawing.content, "with a rim of four modules"


def test_an_address_too_long_for_a_code_is_refused(lecturer, monkeypatch):
    monkeypatch.setattr(routes, "LONGEST_CODED", 10)
    assert lecturer.get("/room/1234567/code").status_code == 414


def test_there_is_no_such_room(lecturer):
    lecturer.at(opened(lecturer))
    for number in (
        7,
        1234567,
        "99999999999999999999",
        "9" * 5000,
        "-1",
        "1e3",
        quote("１２３４５６７"),
        "%00",
    ):
        assert lecturer.get(f"/room/{number}/now").status_code == 404
        assert lecturer.get(f"/room/{number}/code").status_code in (200, 404)
        assert answer(lecturer, number).status_code == 404
        assert put(lecturer, number).status_code == 404
        assert lecturer.post(f"/room/{number}/close").status_code == 404
    for nothing in ("/room/", "/room//", f"/room/{'9' * 5000}", "/room/7", "/room/../room/"):
        assert lecturer.get(nothing).status_code in (404, 405, 307), nothing


@pytest.mark.parametrize("cookie", ["", ".", "x.y", "12345", '"', "é.é", "=;,", "a" * 5000])
def test_a_cookie_may_hold_anything(lecturer, phone, cookie):
    number = opened(lecturer)
    for name in ("spcviz_room", "spcviz_visitor"):
        headers = {"cookie": f"{name}={cookie}".encode()}
        assert phone.get(f"/room/{number}/now", headers=headers).status_code == 401
    token = phone.at(number).cookies["spcviz_visitor"]
    headers = {"cookie": f"spcviz_room={cookie}; spcviz_visitor={token}".encode()}
    if len(cookie) < 100 and "=" not in cookie and '"' not in cookie:
        assert not phone.get(f"/room/{number}/now", headers=headers).json()["isYours"]


def test_a_phone_without_the_server_s_token_is_counted_nowhere(lecturer, phone):
    number = opened(lecturer)
    put(lecturer, number)
    for token in ("", "0" * 32 + ".a." + "0" * 32, "x"):
        phone.cookies["spcviz_visitor"] = token
        assert answer(phone, number).status_code == 401
        assert phone.get(f"/room/{number}/now").status_code == 401
    assert lecturer.get(f"/room/{number}/now").json()["answers"] == 0


def test_cookies_are_the_app_s_alone_and_go_by_https_only_where_it_does(lecturer, phone):
    plain = lecturer.post("/room").headers["set-cookie"].lower()
    assert "path=/;" in plain + ";"
    assert "secure" not in plain
    proxied = {"x-forwarded-proto": "https", "x-forwarded-prefix": "/spcviz"}
    proxied |= {"host": "app.example", "x-forwarded-host": "app.example"}
    cookies = [lecturer.post("/room", headers=proxied), phone.get("/room/1234567", headers=proxied)]
    for cookie in (said.headers["set-cookie"].lower() for said in cookies):
        assert "path=/spcviz;" in cookie + ";"
        assert "secure" in cookie
        assert "httponly" in cookie
        assert "samesite=lax" in cookie


def test_the_lecturer_clears_and_closes(lecturer, phone):
    number = opened(lecturer)
    put(lecturer, number)
    answer(phone.at(number), number)
    for what in ("clear", "close"):
        assert phone.post(f"/room/{number}/{what}").status_code == 403
        assert (
            lecturer.post(f"/room/{number}/{what}", headers={"origin": "http://x.example"}).status_code == 403
        )
    assert lecturer.post(f"/room/{number}/clear").status_code == 200
    assert lecturer.get(f"/room/{number}/now").json()["answers"] == 0
    assert lecturer.post(f"/room/{number}/close").status_code == 200
    assert phone.get(f"/room/{number}/now").status_code == 404


def test_another_computer_of_the_lecturer_s_follows_and_sends_on(lecturer, phone):
    number = opened(lecturer)
    assert phone.at(number).post(f"/room/{number}/desk").status_code == 403
    desk = lecturer.post(f"/room/{number}/desk").json()["desk"]
    told = json.dumps({"kind": "scene", "say": "ä " * 500}).encode()
    assert lecturer.post(f"/room/{number}/hall", content=told).json() == {"orders": []}
    assert steer(phone, number, desk, {"kind": "go", "by": 1}).json()["told"]["kind"] == "scene"
    assert lecturer.post(f"/room/{number}/hall", content=b"{}").json() == {
        "orders": [{"kind": "go", "by": 1}]
    }
    assert steer(phone, number, desk, {"kind": "go", "to": "../x"}).status_code == 400
    lecturer.post(f"/room/{number}/close")
    assert steer(phone, number, desk).status_code == 404
