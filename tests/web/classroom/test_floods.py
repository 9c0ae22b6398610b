"""200 phones at once are counted; a client that floods a class with requests stops nobody else."""

import contextlib
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from spcviz.web.classroom import routes
from spcviz.web.transport import clients
from spcviz.web.ui import requests
from tests.web.classroom.client import Client, answer, opened, put, steer

PHONES = 200


def test_one_phone_has_one_vote_and_changes_its_mind_so_often(lecturer, phone):
    number = opened(lecturer)
    put(lecturer, number)
    phone.at(number)
    codes = [answer(phone, number, at % 2).status_code for at in range(40)]
    assert lecturer.get(f"/room/{number}/now").json()["answers"] == 1
    assert codes[: routes.VOTES[0]] == [200] * routes.VOTES[0]
    assert 429 in codes
    token = phone.cookies["spcviz_visitor"]
    assert phone.at(number).cookies["spcviz_visitor"] == token, "who has a token gets no other"


def test_who_tries_numbers_in_order_is_stopped_and_nobody_else(lecturer, phone, port):
    number = opened(lecturer)
    phone.at(number)
    codes = [phone.get(f"/room/{at}/now").status_code for at in range(1_000_000, 1_000_100)]
    assert codes[: routes.MISSES[0]] == [404] * routes.MISSES[0]
    assert set(codes[routes.MISSES[0] + 2 :]) == {429}
    assert phone.get(f"/room/{number}/now").status_code == 429, "not even where there is one"
    assert Client(port).at(number).get(f"/room/{number}/now").status_code == 200
    assert lecturer.get(f"/room/{number}/now").status_code == 200


def test_rooms_opened_without_end_are_an_address_s_own_affair(lecturer, port, monkeypatch):
    monkeypatch.setattr(routes.LIMITS, "opened", routes.Buckets(3, 0.0))
    here, there = {"x-forwarded-for": "192.0.2.7"}, {"x-forwarded-for": "2001:db8::1"}
    flood = [Client(port).post("/room", headers=here).status_code for _ in range(9)]
    assert flood == [200] * 3 + [429] * 6
    assert lecturer.post("/room", headers=there).status_code == 200
    neighbour = {"x-forwarded-for": "2001:db8::2"}  # the same half: one client may have many such
    assert [Client(port).post("/room", headers=neighbour).status_code for _ in range(3)] == [200, 200, 429]


def test_behind_one_address_nobody_is_refused_a_token(lecturer, port, monkeypatch):
    """A hall shares one address: a flood of pages makes the others a crowd, whose votes still count."""
    monkeypatch.setattr(clients.HANDING, "rights", routes.Buckets(5, 0.0))
    number = opened(lecturer)
    put(lecturer, number)
    for _ in range(20):
        Client(port).at(number)
    assert answer(Client(port).at(number), number).status_code == 200
    assert lecturer.get(f"/room/{number}/now").json()["answers"] == 1


def _cookie(token):
    return f"Cookie: spcviz_visitor={token}\r\n"


def test_slow_bodies_are_given_up_for_whole_ones(lecturer, phone, port, monkeypatch):
    """More slow bodies hang than may be in hand; an honest phone is answered, the oldest of them is not."""
    monkeypatch.setattr(routes, "IN_HAND", 12)
    number = opened(lecturer)
    put(lecturer, number)
    phone.at(number)
    with contextlib.ExitStack() as stack:
        slow = []
        for _ in range(15):
            token = Client(port).at(number).cookies["spcviz_visitor"]
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            head = f"POST /room/{number}/answer HTTP/1.1\r\nHost: localhost\r\n"
            one.sendall(f"{head}{_cookie(token)}Content-Length: 200\r\n\r\n{{".encode())
            slow.append(one)
        began = time.monotonic()
        assert answer(phone, number).status_code == 200
        assert time.monotonic() - began < requests.BODY_SECONDS / 2
        assert b" 408 " in slow[0].recv(100)
    assert lecturer.get(f"/room/{number}/now").json()["answers"] == 1


def test_a_phone_has_few_bodies_on_their_way(lecturer, phone, port):
    number = opened(lecturer)
    put(lecturer, number)
    token = phone.at(number).cookies["spcviz_visitor"]
    with contextlib.ExitStack() as stack:
        for _ in range(routes.OF_ONE):
            one = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            head = f"POST /room/{number}/answer HTTP/1.1\r\nHost: localhost\r\n"
            one.sendall(f"{head}{_cookie(token)}Content-Length: 200\r\n\r\n{{".encode())
        give_up = time.monotonic() + 10
        while len(routes.LIMITS.bodies) < routes.OF_ONE and time.monotonic() < give_up:
            time.sleep(0.01)
        assert answer(phone, number).status_code == 429
        assert answer(Client(port).at(number), number).status_code == 200


def test_200_phones_answer_at_once(port, lecturer):
    """All of them are counted, and the lecturer's screen is answered within a second meanwhile.

    This is a second of this process, which runs the server and all phones: other work does not count.
    """
    number = opened(lecturer)
    put(lecturer, number)
    waits, ready = [], threading.Barrier(PHONES + 1)

    def one(at):
        client = Client(port).at(number)
        ready.wait()
        return answer(client, number, at % 2).status_code

    with ThreadPoolExecutor(PHONES) as phones:
        codes = phones.map(one, range(PHONES))
        ready.wait()
        counted, give_up = 0, time.monotonic() + 30
        while counted < PHONES and time.monotonic() < give_up:
            began = time.process_time()
            counted = lecturer.get(f"/room/{number}/now").json()["answers"]
            waits.append(time.process_time() - began)
        assert set(codes) == {200}
    assert lecturer.get(f"/room/{number}/now").json()["counts"] == [PHONES // 2] * 2
    slowest = sorted(waits)[int(0.95 * (len(waits) - 1))]
    print(f"{PHONES} answers; {len(waits)} looks meanwhile, 95 of 100 within {1000 * slowest:.0f} ms")
    assert slowest < 1


def test_who_guesses_keys_of_desks_is_stopped(lecturer, phone):
    number = opened(lecturer)
    desk = lecturer.post(f"/room/{number}/desk").json()["desk"]
    phone.at(number)
    said = [steer(phone, number, f"{desk[:-1]}{at}").status_code for at in range(routes.MISSES[0] + 3)]
    assert said[0] == 403
    assert said[-1] == 429
    assert steer(phone, number, desk).status_code == 429, "not even with the right one"
    other = Client(phone._port).at(number)
    assert steer(other, number, desk).status_code == 200
