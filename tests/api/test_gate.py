"""Who may ask, and how much: the checks in front of every route."""

from __future__ import annotations

import asyncio

import orjson
import pytest

from phasegate.api.gate import Disconnected, Gate, guarded, read_body
from phasegate.errors import BodyTooLarge, HostRefused, Overloaded, TokenRequired


def scope(path="/v1/policy", server=("127.0.0.1", 8787), **headers):
    names = {"host": "127.0.0.1:8787"} | headers
    return {
        "type": "http",
        "path": path,
        "server": server,
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in names.items()],
    }


def receiver(*chunks: bytes, left=False):
    messages = [
        {"type": "http.request", "body": chunk, "more_body": left or index + 1 < len(chunks)}
        for index, chunk in enumerate(chunks)
    ]
    given = []

    async def receive():
        given.append(1)
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    receive.given = given
    return receive


class TestHost:
    @pytest.mark.parametrize(
        "host", ["127.0.0.1", "127.0.0.1:8787", "localhost:1", "LOCALHOST", "[::1]:8787", "[::1]"]
    )
    def test_local_names_pass(self, host):
        assert Gate().check(scope(host=host)) == 0

    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:8787", "127.0.0.1.evil.example", "", "[::2]"]
    )
    def test_other_names_are_refused(self, host):
        """A web page whose name resolves to this machine must not reach the service."""
        with pytest.raises(HostRefused):
            Gate().check(scope(host=host))

    def test_configured_names_pass(self):
        assert Gate.for_names(["guard.internal"], None, 1).check(scope(host="guard.internal:8787")) == 0

    def test_is_not_checked_on_a_unix_socket(self):
        assert Gate().check(scope(host="anything", server=("/run/p.sock", None))) == 0

    def test_the_memory_of_names_is_bounded(self):
        gate = Gate()
        for number in range(2000):
            with pytest.raises(HostRefused):
                gate.check(scope(host=f"h{number}.example"))

        assert len(gate._hosts) < 300

    def test_a_foreign_web_page_is_refused_also_with_a_local_host(self):
        """Browsers send simple posts across origins without asking first."""
        with pytest.raises(HostRefused, match="web page"):
            Gate().check(scope(origin="https://evil.example"))
        with pytest.raises(HostRefused):
            Gate().check(scope(origin="null", server=("/run/p.sock", None)))

        assert Gate().check(scope(origin="http://localhost:8787")) == 0

    @pytest.mark.parametrize("origin", ["http://[", "http://[v]", "null", "", "//"])
    def test_an_origin_that_is_no_url_is_refused_like_a_foreign_one(self, origin):
        with pytest.raises(HostRefused, match="web page"):
            Gate().check(scope(origin=origin))

    def test_two_host_names_count_for_none(self):
        twice = scope()
        twice["headers"] += [(b"host", b"evil.example"), (b"host", b"localhost")]
        with pytest.raises(HostRefused):
            Gate().check(twice)


class TestToken:
    gate = Gate(token="s3cret")  # noqa: S106 (made up)

    @pytest.mark.parametrize("sent", [{}, {"authorization": "Bearer wrong"}, {"authorization": "s3cret"}])
    def test_is_required_once_it_is_set(self, sent):
        with pytest.raises(TokenRequired) as caught:
            self.gate.check(scope(**sent))

        assert "s3cret" not in caught.value.detail

    def test_opens_when_it_is_right(self):
        assert self.gate.check(scope(authorization="Bearer s3cret")) == 0

    @pytest.mark.parametrize("path", ["/healthz", "/readyz"])
    def test_is_not_asked_of_probes(self, path):
        assert self.gate.check(scope(path)) == 0


def test_more_requests_than_the_limit_are_refused():
    gate = Gate(limit=2, active=2)

    with pytest.raises(Overloaded):
        gate.check(scope())


class TestBody:
    def test_is_joined_from_its_chunks(self):
        assert asyncio.run(read_body(receiver(b"ab", b"cd"), 0, 4)) == b"abcd"

    def test_announced_too_large_is_not_read(self):
        receive = receiver(b"x")

        with pytest.raises(BodyTooLarge):
            asyncio.run(read_body(receive, 5, 4))
        assert receive.given == []

    def test_unannounced_too_large_is_left_unread_after_the_limit(self):
        receive = receiver(*[b"xx"] * 50)

        with pytest.raises(BodyTooLarge):
            asyncio.run(read_body(receive, 0, 4))
        assert len(receive.given) == 3

    @pytest.mark.parametrize("receive", [receiver(), receiver(b"x", left=True)])
    def test_of_a_client_that_left_is_no_request(self, receive):
        with pytest.raises(Disconnected):
            asyncio.run(read_body(receive, 0, 4))


class TestGuarded:
    def run(self, head, receive, gate=None):
        gate = gate or Gate()
        seen, sent = [], []

        async def app(scope, receive, send):
            del scope
            seen.append((gate.active, await receive()))
            await send({"type": "http.response.start", "status": 204, "headers": []})

        async def send(message):
            sent.append(message)

        asyncio.run(guarded(app, gate)(head, receive, send))
        return seen, sent, gate

    def test_hands_the_whole_body_over_and_counts_the_request(self):
        seen, sent, gate = self.run(scope(), receiver(b"a", b"b"))

        assert seen == [(1, {"type": "http.request", "body": b"ab", "more_body": False})]
        assert sent[0]["status"] == 204
        assert gate.active == 0

    def test_answers_a_refusal_as_a_problem_and_closes(self):
        seen, sent, _ = self.run(scope(content_length=str(2 * 1024 * 1024)), receiver(b"x"))

        assert seen == []
        assert sent[0]["status"] == 413
        assert (b"connection", b"close") in sent[0]["headers"]
        assert orjson.loads(sent[1]["body"])["code"] == "body_too_large"

    def test_allows_hooks_a_larger_body(self):
        seen, _, _ = self.run(
            scope("/v1/hooks/claude-code", content_length=str(2 * 1024 * 1024)), receiver(b"x")
        )

        assert len(seen) == 1

    def test_says_nothing_to_a_client_that_left(self):
        assert self.run(scope(), receiver())[:2] == ([], [])

    def test_takes_in_the_rest_of_a_hooks_body_that_is_too_large(self):
        """Else its connection breaks while the runtime still sends, and the denial is lost."""
        receive = receiver(*[b"x"] * 9)
        head = scope("/v1/hooks/claude-code", content_length=str(17 * 1024 * 1024))

        _, sent, _ = self.run(head, receive)

        assert sent[0]["status"] == 413
        assert len(receive.given) == 9

    @pytest.mark.parametrize(("chunk", "read"), [(b"", 100), (bytes(40 * 1024 * 1024), 2)])
    def test_but_only_within_reason(self, chunk, read):
        receive = receiver(*[chunk] * 99, left=len(chunk) == 0)
        head = scope("/v1/hooks/claude-code", content_length=str(17 * 1024 * 1024))

        self.run(head, receive)

        assert len(receive.given) == read
