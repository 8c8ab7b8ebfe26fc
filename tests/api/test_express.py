"""Plain requests take the short way, and nobody can tell by the answer."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import ExitStack

import pytest

from phasegate.api import express
from phasegate.errors import LogUnavailable
from support.live import (
    FUTURE,
    Client,
    Live,
    assert_idle,
    both,
    call,
    hold,
    live,
    release,
    reply_of,
    request,
    shown,
    status_of,
    until,
)


class TestTheShortWay:
    @pytest.mark.parametrize("rel", ["src/a.py", FUTURE])
    def test_the_first_request_with_a_head_is_checked_and_the_next_ones_are_not(
        self, quick, plain, roots, rel
    ):
        body = call(roots, rel, call_id=f"c-{len(rel)}")
        before = quick.asked
        answers = both(quick, plain, *[request(body)] * 4)

        assert quick.asked - before == 3
        assert {status_of(answer) for answer in answers} == {200}
        assert len({reply_of(answer)["decision_id"] for answer in answers}) == 4

    def test_its_decisions_are_recorded_counted_and_dated(self, fresh, roots):
        answers = fresh.ask(*[request(call(roots))] * 5)

        assert [reply_of(answer)["record"]["seq"] for answer in answers] == [1, 2, 3, 4, 5]
        assert sum(fresh.service.counters.decisions.values()) == 5
        assert all(b"\r\ndate: " in answer for answer in answers)

    def test_heads_are_known_to_all_connections(self, quick, roots):
        body = request(call(roots, call_id="of-all"), "Host: localhost", "X-Odd: 1", "Content-Length: 121")
        size = len(body.partition(b"\r\n\r\n")[2])
        body = body.replace(b"Content-Length: 121", b"Content-Length: %d" % size)
        quick.ask(body)
        before = quick.asked
        quick.ask(body)

        assert quick.asked - before == 1

    def test_heads_of_a_unix_socket_do_not_pass_over_tcp(self, quick, plain, roots):
        """Over a socket no name is worth a check; over TCP a foreign one is a page's attack."""
        body = call(roots)
        size = len(request(body).partition(b"\r\n\r\n")[2])
        odd = request(body, "Host: evil.example", f"Content-Length: {size}")
        before = quick.asked
        assert {status_of(answer) for answer in both(quick, plain, odd, odd, uds=True)} == {200}
        assert quick.asked - before == 1

        assert status_of(both(quick, plain, odd)[0]) == 421

    def test_many_heads_do_not_fill_the_memory(self, fresh, roots, monkeypatch):
        monkeypatch.setattr(express, "HEADS_KEPT", 8)
        body = request(call(roots)).partition(b"\r\n\r\n")[2]
        length = f"Content-Length: {len(body)}"
        fresh.ask(*(request(body, "Host: localhost", f"X: {n}", length) for n in range(40)))

        assert len(fresh.desk.heads(over_tcp=True)) <= 8


SPECIAL = {
    "transfer-encoding": ["Transfer-Encoding: chunked"],
    "expect": ["Expect: 100-continue", "Content-Length: {size}"],
    "upgrade": ["Connection: Upgrade", "Upgrade: h2c", "Content-Length: {size}"],
    "close": ["Connection: close", "Content-Length: {size}"],
    "two lengths": ["Content-Length: {size}", "Content-Length: {size}"],
    "signed length": ["Content-Length: +{size}"],
    "long length": ["Content-Length: 0{size}"],
    "no length": ["X: y"],
    "another host": ["Host: evil.example", "Content-Length: {size}"],
    "foreign origin": ["Origin: http://evil.example", "Content-Length: {size}"],
    "folded": ["X: a", " b", "Content-Length: {size}"],
    "nul": ["X: a\0b", "Content-Length: {size}"],
    "bare line feed": ["X: a\nContent-Length: {size}"],
    "head that ends early": ["Content-Length: 4\n\nxxxx{size}"],
    "head that ends early on a line": ["Content-Length: 4\r\n\nxxxx{size}"],
    "lone carriage return": ["X: a\rb", "Content-Length: {size}"],
    "blank before colon": ["Content-Length : {size}"],
}


class TestWhatIsNotPlain:
    @pytest.mark.parametrize("name", SPECIAL)
    def test_an_odd_head_is_answered_as_always_however_often_it_comes(self, fresh, plain, roots, name):
        body = request(call(roots)).partition(b"\r\n\r\n")[2]
        data = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body) if name == "transfer-encoding" else body
        headers = [line.format(size=len(body)) for line in SPECIAL[name]]
        odd = request(data, *(() if "Host" in headers[0] else ("Host: localhost",)), *headers)
        found = []
        for server in (fresh, plain):
            seen = []
            for _ in range(3):
                with server.connect() as client:
                    client.send(odd)
                    if name == "no length":
                        client.connection.shutdown(socket.SHUT_WR)
                    seen.append(shown(client.answer()))
            found.append(seen)

        assert found[0] == found[1]
        # A length with leading zeros is one that the parser takes.
        assert fresh.asked == 0 or name == "long length"

    @pytest.mark.parametrize(
        "line",
        [
            "POST /v1/decisions HTTP/1.0",
            "POST /v1/decisions?x=1 HTTP/1.1",
            "POST /v1//decisions HTTP/1.1",
            "post /v1/decisions HTTP/1.1",
            "PUT /v1/decisions HTTP/1.1",
            "POST /v1/%64ecisions HTTP/1.1",
            "POST http://localhost/v1/decisions HTTP/1.1",
        ],
    )
    def test_another_request_line_is_answered_as_always(self, fresh, plain, roots, line):
        body = call(roots)
        size = len(request(body).partition(b"\r\n\r\n")[2])
        odd = request(body, "Host: localhost", f"Content-Length: {size}", line=line)
        for _ in range(2):
            both(fresh, plain, odd)

        assert fresh.asked == 0

    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b"[]", b'{"tool": 1}', b'{"tool": "write", "phase": "00"}', b'{"tool": "\xff"}', b'{"tool":"x","tool":"y"}'],
    )  # fmt: skip
    def test_a_bad_body_behind_a_known_head_gets_its_problem(self, quick, plain, body):
        good = b'{"tool": "read"}'.ljust(len(body))[: max(len(body), 16)]
        answers = both(quick, plain, request(good), request(body), request(body))

        assert [status_of(answer) for answer in answers[1:]] == [422, 422]

    def test_a_workspace_that_is_not_served_is_refused_in_a_round_too(self, quick, plain):
        body = {"tool": "write", "args": {}, "workspace": "/nowhere"}
        statuses = {status_of(both(quick, plain, request(body))[0]) for _ in range(3)}

        assert statuses == {403}

    def test_a_body_over_its_limit_is_refused(self, quick, plain):
        huge = request(b'{"tool": "' + b"x" * (1024 * 1024) + b'"}')

        assert status_of(both(quick, plain, huge)[0]) == 413

    def test_a_command_for_the_parser_process_is_decided(self, quick, plain, roots):
        body = {"tool": "Bash", "args": {"command": "if true; then echo x > src/a.py; fi"}, "cwd": str(roots["one"])}  # fmt: skip
        answers = both(quick, plain, *[request(body)] * 3)

        assert {status_of(answer) for answer in answers} == {200}

    def test_a_token_is_asked_for_each_time(self, roots, tmp_path):
        token = tmp_path / "token"
        token.write_text("s3cret-s3cret-s3cret\n")
        token.chmod(0o600)
        body = request(call(roots)).partition(b"\r\n\r\n")[2]
        length = f"Content-Length: {len(body)}"
        good = request(body, "Host: localhost", "Authorization: Bearer s3cret-s3cret-s3cret", length)
        bad = request(body, "Host: localhost", "Authorization: Bearer s3cret-s3cret-s3creT", length)
        none = request(body, "Host: localhost", length)
        with live(roots, tmp_path, token_file=str(token)) as found:
            statuses = [status_of(found.ask(each)[0]) for each in (good, good, bad, none, good, bad, none)]

            assert statuses == [200, 200, 401, 401, 200, 401, 401]
            assert found.asked == 2


@pytest.fixture
def closing():
    with ExitStack() as stack:
        yield stack


def several(found: Live, count: int, closing: ExitStack) -> list[Client]:
    return [closing.enter_context(found.connect()) for _ in range(count)]


class TestTogether:
    def test_requests_in_rounds_count_for_the_limit_of_concurrency(self, roots, tmp_path, closing):
        whole = request(call(roots))
        with live(roots, tmp_path, max_concurrency=2) as found:
            found.ask(whole)
            waiting = hold(found)
            clients = several(found, 3, closing)
            for number, client in enumerate(clients[:2], 1):
                client.send(whole)
                until(lambda number=number: len(waiting) == number)
            clients[2].send(whole)
            assert status_of(clients[2].answer()) == 503
            release(found, waiting)

            assert [status_of(client.answer()) for client in clients[:2]] == [200, 200]
            assert_idle(found)

    def test_stopping_answers_what_waits_and_loses_nothing(self, roots, tmp_path, closing):
        whole = request(call(roots))
        with live(roots, tmp_path) as found:
            found.ask(whole)
            waiting = hold(found)
            clients = several(found, 5, closing)
            for client in clients:
                client.send(whole)
            until(lambda: len(waiting) == 5)
            found.server.should_exit = True
            time.sleep(0.3)
            release(found, waiting)
            seqs = sorted(reply_of(client.answer())["record"]["seq"] for client in clients)

            assert seqs == [2, 3, 4, 5, 6]
            assert [client.rest() for client in clients] == [b""] * 5

    def test_many_callers_are_each_answered_once(self, quick, roots):
        before = quick.service.counters.decisions.copy()
        seqs: list[int] = []

        def caller(number):
            found = quick.ask(*(request(call(roots, call_id=f"{number:02}-{n:02}")) for n in range(20)))
            seqs.extend(reply_of(answer)["record"]["seq"] for answer in found)

        threads = [threading.Thread(target=caller, args=(number,)) for number in range(24)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(set(seqs)) == len(seqs) == 480
        assert sum(quick.service.counters.decisions.values()) - sum(before.values()) == 480
        assert_idle(quick)


class TestTrouble:
    def test_a_log_that_can_not_be_written_denies_here_too(self, fresh, plain, roots, monkeypatch):
        def fail(records):
            raise LogUnavailable("the decision log can't be written: the disk is full")

        whole = request(call(roots))
        fresh.ask(whole)
        for server in (fresh, plain):
            monkeypatch.setattr(server.service._store, "append_many", fail)
        for answer in both(fresh, plain, whole, whole):
            reply = reply_of(answer)
            assert (reply["kind"], reply["reason"]) == ("deny", "decision log unavailable")
            assert reply["record"] is None
        assert fresh.service.counters.unrecorded == 2

    def test_a_log_that_is_slow_is_waited_for(self, fresh, roots):
        store, whole = fresh.service._store, request(call(roots))
        append = store.append_many
        store.append_many = lambda records: (time.sleep(0.05), append(records))[1]
        answers = fresh.ask(*[whole] * 4)

        assert [reply_of(answer)["record"]["seq"] for answer in answers] == [1, 2, 3, 4]

    def test_a_defect_of_ours_is_a_500_and_ends_the_connection(self, fresh, roots, monkeypatch, caplog):
        whole = request(call(roots))
        fresh.ask(whole)

        def fail(*_):
            raise ZeroDivisionError("secret")

        monkeypatch.setattr(fresh.service._answers, "given", fail)
        with fresh.connect() as client:
            client.send(whole)
            answer, rest = client.answer(), client.rest()

        assert status_of(answer) == 500
        assert b"connection: close" in answer
        assert b"ZeroDivisionError" in answer
        assert b"secret" not in answer
        assert rest == b""
        assert "answering a call failed" in caplog.text
        assert_idle(fresh)

    def test_a_defect_in_reading_a_call_is_answered_as_always(self, fresh, roots, monkeypatch):
        whole = request(call(roots))
        fresh.ask(whole)

        def fail(body):
            raise RecursionError

        monkeypatch.setattr(fresh.desk, "call", fail)

        assert [status_of(answer) for answer in fresh.ask(whole, whole)] == [200, 200]
        assert_idle(fresh)

    def test_paths_of_the_host_are_mapped(self, roots, tmp_path):
        body = {"tool": "write", "args": {"file_path": f"/host/{FUTURE}"}, "cwd": "/host"}
        with live(roots, tmp_path, map=[f"/host={roots['one']}"]) as found:
            replies = [reply_of(answer) for answer in found.ask(*[request(body)] * 3)]

            assert found.asked == 2
        assert {(reply["kind"], reply["rule"]) for reply in replies} == {("deny", "phase-order")}
