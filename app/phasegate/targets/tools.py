"""The tool table: what the tools of the supported runtimes do, as data.

A row gives one behaviour and the ids that have it, in snake case; letter case,
separators and server prefixes are taken care of by `phasegate.targets.ids`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from phasegate.core.call import Effect
from phasegate.targets.ids import bare_name, changes_by_name, compact, parts, vocabulary, words

Dialect = Literal["", "shell", "powershell", "code", "keys", "patch", "wrapper"]
TextMode = Literal["replace", "append", "unknown"]


@dataclass(frozen=True, slots=True)
class Tool:
    """One behaviour.

    `dialect` tells what the tool runs or reads its targets from: shell text,
    PowerShell, program text, keys typed into a running program, a patch, or calls of
    other tools. `verbs`: an argument holds a verb (`create`, `view`, ...) that decides.
    `text` says what a text without a counterpart does to the file. `own_base`: the
    working-directory arguments that the tool is known to have, compacted; any other
    one might be ignored, so both directories are then judged. `extra` names further
    path arguments. `copies`: a source is only read. `dry_run`: the tool is known to
    have a switch that makes it read only. `joins_folder`: a file name is always taken
    from the folder argument beside it.
    """

    effect: Effect
    dialect: Dialect = ""
    verbs: bool = False
    text: TextMode = "replace"
    own_base: frozenset[str] = frozenset()
    extra: frozenset[str] = frozenset()
    copies: bool = False
    dry_run: bool = False
    joins_folder: bool = False


@dataclass(frozen=True, slots=True)
class Match:
    """The table's answer for an id. `tool` is None for an id that is in no row.

    `name` is the table's name, or the id in lower case without an MCP prefix.
    `server` holds the words before the tool's own name.
    """

    name: str
    tool: Tool | None
    server: tuple[str, ...] = ()


_READ = Tool(Effect.READ)
_OTHER = Tool(Effect.OTHER)
_WRITE = Tool(Effect.WRITE)
_EDIT = Tool(Effect.WRITE, text="unknown")


def _shell(own_base: str = "", dialect: Dialect = "shell") -> Tool:
    return Tool(Effect.EXECUTE, dialect, own_base=vocabulary(own_base))


_ROWS: tuple[tuple[Tool, str], ...] = (
    # The peer takes any text under `command` for a path too.
    (Tool(Effect.WRITE, extra=vocabulary("command")), "write"),
    (Tool(Effect.WRITE, text="unknown", extra=vocabulary("command")), "edit"),
    (
        _WRITE,
        """
        write_file create create_file create_new_file create_new_file_with_text create_text_file
        write_to_file write_new_file file_write write_text_file save_file save_as new_rule new_file make_file
        developer_write lov_write put_file overwrite_file replace_file_text_by_path replace_file_content_full
        write_pdf write_binary_file download_file save_to_file export_file
        browser_take_screenshot browser_pdf_save take_screenshot take_snapshot create_new_jupyter_notebook
        create_new_workspace write_files batch_write save_content
        """,
    ),
    (
        _EDIT,
        """
        multi_edit multi_edit_file str_replace str_replace_file replace replace_in_file
        replace_string_in_file multi_replace_string_in_file insert_edit_into_file search_replace
        search_and_replace find_and_replace single_find_and_replace edit_existing_file edit_block edit_files
        modify_file update_file patch_file insert_content insert_text insert_line insert_lines delete_lines
        replace_lines insert_at_line append_lines apply_diff apply_edit apply_edits apply_text_edits reapply
        replace_regex replace_content replace_symbol_body insert_after_symbol insert_before_symbol
        rename_symbol safe_delete_symbol replace_text_in_file replace_specific_text replace_file_content
        multi_replace_file_content line_replace lov_line_replace file_str_replace edit_range
        edit_notebook edit_notebook_file notebook_edit notebook_edit_cell insert_cell
        afterfileedit pre_write_code post_write_code format_file reformat_file reformat_code undo_edit
        rename_refactoring restore_file_from_disk fs_replace developer_edit code_edit smart_edit
        """,
    ),
    (Tool(Effect.WRITE, text="append"), "append append_file append_to_file fs_append file_append"),
    (Tool(Effect.WRITE, text="unknown", dry_run=True), "edit_file"),
    (
        Tool(Effect.WRITE, verbs=True, text="unknown"),
        """
        str_replace_editor str_replace_based_edit_tool file_editor text_editor developer_text_editor fs_write
        memory json_edit_tool planning_file_editor edit_tool string_replace_editor
        text_editor_20250124 text_editor_20250429 text_editor_20250728
        """,
    ),
    (Tool(Effect.WRITE, text="unknown"), "editor"),
    (Tool(Effect.WRITE, joins_folder=True), "file_writer_tool file_writer"),
    (
        Tool(Effect.WRITE, extra=vocabulary("directory folder dir")),
        "create_directory mkdir make_directory create_dir create_folder make_dir new_folder",
    ),
    (
        Tool(Effect.DELETE, extra=vocabulary("directory folder dir")),
        """
        delete delete_file delete_files remove remove_file remove_files rm unlink file_delete delete_path
        delete_directory remove_directory rmdir delete_folder fs_delete trash trash_file lov_delete
        delete_dir remove_dir delete_file_or_directory safe_delete
        """,
    ),
    (
        Tool(Effect.MOVE),
        """
        move mv rename move_file rename_file move_path move_files rename_path move_directory lov_rename
        fs_move fs_rename rename_directory move_or_rename file_move
        """,
    ),
    (
        Tool(Effect.WRITE, copies=True),
        "copy cp copy_file copy_path copy_files duplicate_file copy_directory fs_copy file_copy lov_copy",
    ),
    (Tool(Effect.WRITE, "patch"), "apply_patch patch applypatch apply_unified_diff"),
    (_shell("workdir"), "bash exec_command shell_command unified_exec"),
    (_shell("workdir workingdirectory"), "shell local_shell container_exec exec execute"),
    (_shell("cwd"), "execute_command run_command run_commands execute_shell_command pre_run_command"),
    (
        _shell("cwd"),
        "before_shell_execution run_in_terminal command_execute shell_execute create_and_run_task",
    ),
    (_shell("dirpath directory"), "run_shell_command"),
    (_shell("workingdirectory cwd"), "run_terminal_cmd run_terminal_command run_terminal"),
    (
        _shell("cd cwd workdir dir execdir"),
        "terminal terminal_tool developer_shell shell_exec shell_tool bash_tool",
    ),
    (
        _shell(),
        """
        sh zsh cmd cmd_exe run_bash execute_bash bash_command run_cmd run_task shell_session start_process
        execute_terminal_command run_script start_background_process spawn_process attempt_completion
        run_bash_command run_shell run_in_background monitor
        """,
    ),
    (
        _shell("cwd workdir workingdirectory", "powershell"),
        "powershell pwsh execute_pwsh run_powershell powershell_command execute_powershell run_pwsh",
    ),
    (
        Tool(Effect.EXECUTE, "keys"),
        """
        write_stdin interact_with_process send_keys send_to_terminal write_to_terminal write_bash
        write_powershell shell_write_to_process send_input_to_process send_command_to_session send_terminal_input
        write_process terminal_input
        """,
    ),
    (
        Tool(Effect.EXECUTE, "code"),
        """
        run_code execute_code code python python3 ipython run_python run_python_code execute_python
        execute_python_code python_repl python_repl_ast python_interpreter code_interpreter execute_ipython_cell
        js_repl run_javascript execute_javascript javascript node run_node run_js code_execution
        code_executor python_executor execute_cell run_notebook_cell jupyter repl automation_script
        execute_typescript deno_run browser_run_code python_user_visible
        """,
    ),
    (
        Tool(Effect.EXECUTE, "wrapper"),
        """
        multi_tool_use_parallel parallel batch use_mcp_tool call_mcp_tool call_tool mcp_call mcp_tool
        execute_tool invoke_tool run_tool pre_mcp_tool_use before_mcp_execution beforemcpexecution
        """,
    ),
    (
        _READ,
        """
        read read_file view view_file ls list list_dir list_directory list_files glob glob_files grep
        grep_search search find search_files search_file_content file_search file_glob_search read_many_files
        read_files read_multiple_files read_text_file read_media_file read_notebook notebook_read fs_read
        read_image view_image show_file get_file_info directory_tree tree developer_tree cat open
        pre_read_code before_read_file beforereadfile codebase_search semantic_search find_path find_file
        find_symbol list_code_definition_names get_errors get_changed_files read_lints
        bash_output task_output read_bash get_terminal_output web_fetch web_search fetch_webpage
        read_web_page google_web_search browser_snapshot copilot_get_notebook_summary stat
        list_allowed_directories find_references diff lsp oracle finder access_mcp_resource open_file
        list_mcp_resources read_mcp_resource tool_search file_read analyze think look_at
        """,
    ),
    (
        _OTHER,
        """
        task agent exit_plan_mode enter_plan_mode todo_write todo_read write_todos update_plan update_todo_list
        manage_todo_list set_todo_list ask_user ask_user_question ask_followup_question kill_shell kill_bash
        stop_bash kill_terminal task_stop skill slash_command save_memory new_task switch_mode run_subagent
        run_tests run_test spawn_agent spawn_subagent delegate_to_agent report_intent store_memory submit finish
        plan_mode_respond plan_enter plan_exit exit_spec_mode browser_file_upload upload_file browser_navigate
        browser_click install_extension run_vscode_command github_repo
        create_or_update_file push_files git_add git_commit git_reset git_checkout git_create_branch git_init
        git_branch git_status git_diff git_log git_show send_message painter mermaid handoff use_aws
        """,
    ),
)


def _table() -> dict[str, tuple[str, Tool]]:
    table: dict[str, tuple[str, Tool]] = {}
    for tool, ids in _ROWS:
        for name in ids.split():
            if table.setdefault(compact(name), (name, tool))[1] is not tool:
                raise AssertionError(f"the tool id {name} stands in two rows")
    return table


TABLE = _table()


@lru_cache(maxsize=1024)
def lookup(tool: str) -> Match:
    """What the table says about the id *tool*, however it is spelled and prefixed."""
    pieces = parts(tool)
    for start in range(len(pieces)):
        hit = TABLE.get(compact("_".join(pieces[start:])))
        if hit is not None:
            return Match(*hit, server=tuple(word for piece in pieces[:start] for word in words(piece)))
    return _soft_match(words(pieces[-1]) if pieces else ()) or Match(bare_name(tool), None)


def _soft_match(found: tuple[str, ...]) -> Match | None:
    """A row whose id ends the words of *found*, for prefixes that are parted by `_` alone.

    One word is too little to go by unless the id says that it is an MCP tool.
    """
    marked = found[:1] == ("mcp",)
    for start in range(1, len(found)):
        hit = TABLE.get("".join(found[start:]))
        if hit is None:
            continue
        single = start == len(found) - 1
        harmless = hit[1].effect in (Effect.READ, Effect.OTHER)
        if single and (not marked or harmless):
            return None
        if not (harmless and changes_by_name(found[1:start] if marked else found[:start])):
            return Match(*hit, server=found[:start])
    return None
