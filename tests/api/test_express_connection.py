"""One connection that takes the short way and the ordinary one in turn."""

from __future__ import annotations

import itertools
import random
import time

import pytest

from support.live import FUTURE, assert_idle, call, hold, release, reply_of, request, shown, status_of, until


def test_a_request_in_two_parts_is_the_same_wherever_it_is_cut(quick, plain, roots):
    whole = request(call(roots))
    quick.ask(whole)
    expected = shown(plain.ask(whole)[0])
    with quick.connect() as client:
        for at in range(1, len(whole)):
            client.send_in_parts(whole[:at], whole[at:])
            assert shown(client.answer()) == expected, at


def test_a_pair_in_one_piece_is_answered_in_order(quick, plain, roots):
    first, second = request(call(roots)), request(call(roots, FUTURE))
    quick.ask(first, second)
    for pair in (first + second, second + first):
        answers = []
        for server in (quick, plain):
            with server.connect() as client:
                client.send(pair)
                answers.append([shown(client.answer()), shown(client.answer())])
        assert answers[0] == answers[1]


def test_what_comes_while_a_round_is_waited_for_is_answered_after_it(quick, roots):
    first, second = request(call(roots, call_id="p")), request(call(roots, FUTURE, call_id="q"))
    quick.ask(first, second)
    waiting = hold(quick)
    with quick.connect() as client:
        client.send(first)
        until(lambda: waiting)
        client.send_in_parts(second[:40], second[40:] + first)
        time.sleep(0.05)
        release(quick, waiting)
        kinds = [reply_of(client.answer())["kind"] for _ in range(3)]

    assert kinds == ["allow", "deny", "allow"]


@pytest.mark.parametrize("seed", range(6))
def test_any_mixture_of_requests_in_any_pieces_is_answered_as_without_the_short_way(
    quick, plain, roots, seed
):
    chance = random.Random(seed)  # noqa: S311 (test data)
    good = [request(call(roots)), request(call(roots, FUTURE)), request(call(roots, "src/b.py"))]
    others = [
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
        request(b"{"),
        request(call(roots), "Host: localhost", "Transfer-Encoding: chunked").partition(b"\r\n\r\n")[0]
        + b'\r\n\r\n10\r\n{"tool": "read"}\r\n0\r\n\r\n',
        b"\r\n" + good[0],
        b"GET /v1/decisions/none HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]  # fmt: skip
    quick.ask(*good)
    for _ in range(12):
        chosen = [chance.choice(good if chance.random() < 0.7 else others) for _ in range(8)]
        stream = b"".join(chosen)
        cuts = sorted(chance.sample(range(1, len(stream)), chance.randrange(6)))
        # Where a request ends is where pieces usually end.
        ends = [sum(map(len, chosen[:n])) for n in range(1, 8) if chance.random() < 0.6]
        places = sorted({0, *cuts, *ends, len(stream)})
        parts = [stream[a:b] for a, b in itertools.pairwise(places)]
        answers = []
        for server in (quick, plain):
            with server.connect() as client:
                client.send_in_parts(*parts)
                answers.append([shown(client.answer()) for _ in chosen])
        assert answers[0] == answers[1]

    assert_idle(quick)


def test_a_client_that_leaves_is_recorded_all_the_same(fresh, roots):
    whole = request(call(roots))
    fresh.ask(whole)
    waiting = hold(fresh)
    client = fresh.connect()
    client.send(whole)
    until(lambda: waiting)
    client.connection.close()
    time.sleep(0.05)
    release(fresh, waiting)

    assert_idle(fresh)
    until(lambda: fresh.service._store.head().seq == 2)


def test_a_client_that_takes_in_no_reply_gets_no_further_ones(fresh, roots):
    """What it is owed must not grow without bound."""
    whole = request(call(roots))
    with fresh.connect(uds=True) as client:
        client.send(whole)
        client.answer()
        (connection,) = fresh.server.server_state.connections
        for _ in range(20_000):
            client.send(whole)
            time.sleep(0.0002)
            if connection.flow.write_paused:
                break
        assert connection.flow.write_paused
        until(lambda: fresh.gate.active <= 1)
        before = fresh.asked
        for _ in range(50):
            client.send(whole)
        time.sleep(0.2)

        assert fresh.asked == before
        assert fresh.on_loop(connection.transport.get_write_buffer_size) < 256 * 1024
    assert_idle(fresh)


def test_an_idle_connection_ends_after_its_time_and_not_before(fresh, roots):
    whole = request(call(roots))
    with fresh.connect() as client:
        for _ in range(2):
            client.send(whole)
            client.answer()
        (connection,) = fresh.server.server_state.connections
        now = fresh.loop.time()
        fresh.on_loop(lambda: connection.expire(now + connection.timeout_keep_alive - 1))
        client.send(whole)
        assert status_of(client.answer()) == 200

        fresh.on_loop(lambda: connection.expire(fresh.loop.time() + connection.timeout_keep_alive + 1))
        assert client.rest() == b""


def test_a_request_in_a_round_is_not_taken_for_an_idle_connection(fresh, roots):
    whole = request(call(roots))
    with fresh.connect() as client:
        for _ in range(2):
            client.send(whole)
            client.answer()
        (connection,) = fresh.server.server_state.connections
        waiting = hold(fresh)
        client.send(whole)
        until(lambda: waiting)
        fresh.on_loop(lambda: connection.expire(fresh.loop.time() + 1000))
        release(fresh, waiting)

        assert status_of(client.answer()) == 200
