"""Settings: precedence, unknown keys, and what is refused because it would be unsafe."""

from __future__ import annotations

import re

import pytest

from phasegate.errors import SettingsError
from phasegate.settings import client_settings, load_settings


@pytest.fixture
def env(tmp_path):
    """An environment that points at nothing of this machine."""
    return {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}


@pytest.fixture
def workspace(tmp_path):
    path = tmp_path / "repo"
    path.mkdir()
    return path


def write_config(tmp_path, text):
    path = tmp_path / "phasegate.toml"
    path.write_text(text)
    return path


def refused(flags, env) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(flags, env)
    return caught.value.detail


def test_defaults_are_strict_and_loopback(env, tmp_path):
    settings = load_settings({}, env)

    assert (settings.mode, settings.host, settings.port, settings.uds) == ("strict", "127.0.0.1", 8787, None)
    assert settings.read_receipts == "accept-v1"
    assert settings.data == tmp_path / "state" / "phasegate"
    assert settings.log_path == settings.data / "decisions.db"


def test_flags_win_over_variables_and_variables_over_the_file(env, tmp_path):
    config = write_config(tmp_path, 'mode = "advisory"\nport = 1\nmax_concurrency = 7\n')
    env |= {"PHASEGATE_PORT": "2", "PHASEGATE_CONFIG": str(config), "PHASEGATE_MODE": "advisory"}

    settings = load_settings({"mode": "strict"}, env)

    assert (settings.mode, settings.port, settings.max_concurrency) == ("strict", 2, 7)


def test_an_explicit_config_wins_over_the_variable(env, tmp_path):
    config = write_config(tmp_path, "port = 3\n")

    settings = load_settings({"config": str(config)}, env | {"PHASEGATE_CONFIG": "/nowhere"})

    assert settings.port == 3
    assert settings.config == config


def test_the_default_config_is_found_under_xdg_config_home(env, tmp_path):
    place = tmp_path / "config" / "phasegate"
    place.mkdir(parents=True)
    (place / "phasegate.toml").write_text("port = 4\n")

    assert load_settings({}, env | {"XDG_CONFIG_HOME": str(tmp_path / "config")}).port == 4


def test_flags_that_were_not_given_change_nothing(env):
    settings = load_settings(
        {"mode": None, "workspace": (), "port": None}, env | {"PHASEGATE_MODE": "advisory"}
    )

    assert settings.mode == "advisory"


class TestUnknownKeys:
    """A misspelt key that is ignored leaves the service in a mode nobody chose."""

    def test_in_the_file_is_named_with_the_file(self, env, tmp_path):
        config = write_config(tmp_path, 'mod = "strict"\n')

        detail = refused({"config": str(config)}, env)

        assert "`mod`" in detail
        assert str(config) in detail

    def test_in_the_environment_is_named(self, env):
        assert "`PHASEGATE_MOD`" in refused({}, env | {"PHASEGATE_MOD": "strict"})

    def test_a_wrong_value_names_key_and_source(self, env):
        detail = refused({}, env | {"PHASEGATE_MODE": "lax"})

        assert "`mode` in the environment" in detail
        assert "'strict' or 'advisory'" in detail

    def test_service_links_of_kubernetes_are_not_settings(self, env):
        links = {
            "PHASEGATE_PORT": "tcp://10.0.0.1:8787",
            "PHASEGATE_PORT_8787_TCP_ADDR": "10.0.0.1",
            "PHASEGATE_SERVICE_HOST": "10.0.0.1",
        }

        assert load_settings({}, env | links).port == 8787


class TestWorkspaces:
    def test_are_named_after_their_directory_or_explicitly(self, env, workspace):
        settings = load_settings({"workspace": (str(workspace), f"other={workspace}")}, env)

        assert [space.name for space in settings.workspaces] == ["repo", "other"]
        assert {space.path for space in settings.workspaces} == {workspace.resolve()}

    def test_an_equals_sign_inside_a_path_is_part_of_the_path(self, env, tmp_path):
        odd = tmp_path / "a=b"
        odd.mkdir()

        assert load_settings({"workspace": (str(odd),)}, env).workspaces[0].name == "a=b"

    def test_two_of_one_name_are_refused_with_the_remedy(self, env, tmp_path):
        for parent in ("x", "y"):
            (tmp_path / parent / "repo").mkdir(parents=True)

        detail = refused({"workspace": (str(tmp_path / "x/repo"), str(tmp_path / "y/repo"))}, env)

        assert "`repo`" in detail
        assert "NAME=" in detail

    def test_that_are_absent_are_refused(self, env, tmp_path):
        assert "not a directory" in refused({"workspace": (str(tmp_path / "absent"),)}, env)

    def test_several_come_from_one_variable(self, env, workspace):
        several = {"PHASEGATE_WORKSPACE": f"a={workspace}:b={workspace}"}

        assert [space.name for space in load_settings({}, env | several).workspaces] == ["a", "b"]


class TestListening:
    def test_a_socket_alone_closes_the_port(self, env):
        settings = load_settings({"uds": "/run/p.sock"}, env)

        assert settings.port is None
        assert str(settings.uds) == "/run/p.sock"

    def test_socket_and_port_listen_together_when_both_are_given(self, env):
        settings = load_settings({"uds": "/run/p.sock", "port": 0}, env)

        assert settings.port == 0
        assert settings.uds is not None

    @pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])  # noqa: S104 (refused)
    def test_other_machines_need_a_token(self, env, host):
        assert "PHASEGATE_TOKEN" in refused({"host": host}, env)
        assert load_settings({"host": host}, env | {"PHASEGATE_TOKEN": "t"}).host == host

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
    def test_loopback_needs_none(self, env, host):
        assert load_settings({"host": host}, env).host == host


class TestOwnFilesInsideAWorkspaceAreRefused:
    """An agent that can edit the service's files decides for itself."""

    def test_the_data_directory(self, env, workspace):
        detail = refused({"workspace": (str(workspace),), "data": str(workspace / ".phasegate")}, env)

        assert "`data`" in detail
        assert "inside the workspace" in detail

    def test_the_data_directory_through_a_link(self, env, workspace, tmp_path):
        (tmp_path / "link").symlink_to(workspace)

        assert "`data`" in refused({"workspace": (str(workspace),), "data": str(tmp_path / "link/x")}, env)

    def test_the_log(self, env, workspace):
        detail = refused({"workspace": (str(workspace),), "log": f"sqlite:///{workspace}/d.db"}, env)

        assert "`log`" in detail

    def test_the_configuration_file(self, env, workspace):
        config = write_config(workspace, "port = 1\n")

        assert "`config`" in refused({"workspace": (str(workspace),), "config": str(config)}, env)

    def test_below_a_served_root(self, env, workspace, tmp_path):
        assert "`data`" in refused({"workspace_root": str(tmp_path), "data": str(workspace / "d")}, env)


class TestToken:
    def test_comes_from_a_file(self, env, tmp_path):
        (tmp_path / "token").write_text("s3cret\n")

        assert load_settings({"token_file": str(tmp_path / "token")}, env).token == "s3cret"  # noqa: S105 (made up)

    def test_in_the_configuration_file_is_refused(self, env, tmp_path):
        config = write_config(tmp_path, 'token = "s3cret"\n')

        detail = refused({"config": str(config)}, env)

        assert "token_file" in detail
        assert "s3cret" not in detail

    @pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe", b"x" * 5000])
    def test_file_that_holds_none_is_refused(self, env, tmp_path, content):
        (tmp_path / "token").write_bytes(content)

        assert re.search("token", refused({"token_file": str(tmp_path / "token")}, env))

    def test_file_that_is_absent_is_refused(self, env):
        assert "`token_file`" in refused({"token_file": "/nowhere/token"}, env)


@pytest.mark.parametrize("text", ["mode = ", "\xff", "[[x]]"])
def test_a_configuration_file_that_is_not_readable_is_refused(env, tmp_path, text):
    config = tmp_path / "c.toml"
    config.write_bytes(text.encode("latin-1"))

    assert str(config) in refused({"config": str(config)}, env)


def test_a_named_configuration_file_must_exist(env):
    assert "`/nowhere.toml`" in refused({"config": "/nowhere.toml"}, env)


@pytest.mark.parametrize("entry", ["/a", "a=/b", "/a=b"])
def test_a_map_needs_two_absolute_paths(env, entry):
    assert "HOST=LOCAL" in refused({"map": (entry,)}, env)


@pytest.mark.parametrize("host", ["C:\\work", "c:/work", "\\\\nas\\team"])
def test_a_map_may_name_a_windows_path_of_the_agents_machine(env, host):
    assert load_settings({"map": (f"{host}=/srv",)}, env).maps == ((host, "/srv"),)


def test_maps_lose_their_last_slash(env):
    assert load_settings({"map": ("/host/=/local/",)}, env).maps == (("/host", "/local"),)


@pytest.mark.parametrize("log", ["postgres://x", "sqlite:///relative.db", "decisions.db"])
def test_a_log_must_be_an_absolute_sqlite_url(env, log):
    assert "sqlite:////absolute/path" in refused({"log": log}, env)


def test_the_client_finds_the_service_by_its_variables():
    client = client_settings({"PHASEGATE_URL": "http://127.0.0.1:1", "PHASEGATE_RUN_ID": "r1"})

    assert (client.url, client.uds, client.run_id, client.configured) == (
        "http://127.0.0.1:1",
        None,
        "r1",
        True,
    )
    assert not client_settings({}).configured
