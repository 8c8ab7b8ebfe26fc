"""Programs that fetch from elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from phasegate.targets.shell.options import Grammar, Parsed
from phasegate.targets.shell.text import Field, field, join, literal

if TYPE_CHECKING:
    from phasegate.targets.shell.command import Command

# Options of curl that take a value and name no file it writes.
_CURL_VALUES = (
    "-A|--user-agent: -b|--cookie: -C|--continue-at: -d|--data: --data-ascii: --data-binary: --data-raw:"
    " --data-urlencode: -e|--referer: -E|--cert: -F|--form: --form-string: -h|--help? -H|--header: -K|--config:"
    " -m|--max-time: -M|--manual -P|--ftp-port: -Q|--quote: -r|--range: -t|--telnet-option: -T|--upload-file:"
    " -u|--user: -U|--proxy-user: -w|--write-out: -x|--proxy: -X|--request: -y|--speed-time: -Y|--speed-limit:"
    " -z|--time-cond: --abstract-unix-socket: --alt-svc: --aws-sigv4: --cacert: --capath: --cert-type: --ciphers:"
    " --connect-timeout: --connect-to: --create-file-mode: --crlfile: --curves: --delegation: --dns-interface:"
    " --dns-servers: --doh-url: --engine: --etag-compare: --expect100-timeout: --ftp-account: --ftp-method:"
    " --happy-eyeballs-timeout-ms: --hostpubmd5: --hsts: --interface: --ipfs-gateway: --json: --keepalive-time:"
    " --key: --key-type: --krb: --limit-rate: --local-port: --login-options: --mail-auth: --mail-from: --mail-rcpt:"
    " --max-filesize: --max-redirs: --netrc-file: --noproxy: --oauth2-bearer: --parallel-max: --pass: --pinnedpubkey:"
    " --preproxy: --proto: --proto-default: --proto-redir: --proxy-header: --pubkey: --random-file: --rate:"
    " --request-target: --resolve: --retry: --retry-delay: --retry-max-time: --sasl-authzid: --service-name:"
    " --socks4: --socks4a: --socks5: --socks5-hostname: --tls-max: --tls13-ciphers: --tlsuser: --tlspassword:"
    " --unix-socket: --url: --url-query: --variable: --vlan-priority: --ip-tos: --proxy-user-agent:"
)
_CURL_FLAGS = (
    " -0|--http1.0 -1|--tlsv1 -2 -3 -4|--ipv4 -6|--ipv6 -a|--append -B|--use-ascii -f|--fail --fail-with-body -g|--globoff"
    " -G|--get -i|--include|--show-headers -I|--head -j|--junk-session-cookies -J|--remote-header-name -k|--insecure"
    " -l|--list-only -L|--location -n|--netrc -N|--no-buffer -O|--remote-name --remote-name-all -p|--proxytunnel"
    " -q|--disable -R|--remote-time -s|--silent -S|--show-error -v|--verbose -V|--version -Z|--parallel -#|--progress-bar"
    " -: --anyauth --basic --digest --compressed --create-dirs --crlf --disable-eprt --false-start --http1.1 --http2"
    " --http2-prior-knowledge --http3 --negotiate --netrc-optional --next --no-keepalive --no-progress-meter --no-sessionid"
    " --ntlm --path-as-is --post301 --post302 --post303 --raw --retry-all-errors --retry-connrefused --ssl --ssl-reqd"
    " --styled-output --no-styled-output --tcp-fastopen --tcp-nodelay --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tr-encoding"
    " --trace-time --trace-ids --xattr --location-trusted --no-alpn --no-clobber --skip-existing --remove-on-error"
    " --proxy-insecure --fail-early --suppress-connect-headers --no-location --no-silent"
)
_CURL = Grammar.of(
    _CURL_VALUES
    + _CURL_FLAGS
    + " -o|--output: --output-dir: -D|--dump-header: -c|--cookie-jar: --trace: --trace-ascii:"
    " --stderr: --libcurl: --etag-save: --ssl-sessions:"
)
_CURL_FILES = ("o", "D", "c", "trace", "trace-ascii", "stderr", "libcurl", "etag-save", "alt-svc", "hsts")


def curl(command: Command) -> None:
    """Report the files of curl's output options, and names taken from addresses."""
    parsed = command.parse(_CURL)
    if parsed.has("V", "h", "M"):
        return
    if parsed.has("K"):
        command.opaque("curl takes more options from a file")
    if parsed.strange:
        command.opaque(f"the option `{parsed.strange[0][:40]}` of curl is not known")
    directory = parsed.last("output-dir")
    for name, value in parsed.options:
        if name not in _CURL_FILES or value is None or value.text in ("-", "%"):
            continue
        if name == "o" and value.text is not None and "#" in value.text:
            command.opaque("the name of the output depends on the address")
            continue
        target = _below(directory, value) if name == "o" else value
        command.write(target, via=f"curl -{name}" if len(name) == 1 else f"curl --{name}")
    if parsed.has("O", "remote-name-all"):
        _remote_names(command, parsed, directory)


def _remote_names(command: Command, parsed: Parsed, directory: Field | None) -> None:
    if parsed.has("J"):
        command.opaque("the server chooses the name", remedy="name the file with `-o`")
        return
    for address in [*parsed.values("url"), *parsed.operands]:
        name = name_in_address(address)
        if name is None:
            command.opaque("the name of the file comes from the address", remedy="name the file with `-o`")
        else:
            command.write(_below(directory, field(name, address.typed)), via="curl -O")


def name_in_address(address: Field, *, default: str | None = None) -> str | None:
    """The last part of an address's path; None when it is not known."""
    text = address.text
    if text is None or set(text) & set("{}[]"):
        return None
    rest = text.partition("://")[2] or text
    path = rest.partition("?")[0].partition("#")[0].partition("/")[2]
    return path.rpartition("/")[2] or default


def _below(directory: Field | None, name: Field) -> Field:
    if directory is None or name.prefix.startswith("/"):
        return name
    return Field(join((directory.value, literal("/"), name.value)), name.typed, name.many)


_WGET = Grammar.of(
    "-V|--version -h|--help -b|--background -e|--execute: -o|--output-file: -a|--append-output: -d|--debug -q|--quiet"
    " -v|--verbose -nv|--no-verbose -i|--input-file: -F|--force-html -B|--base: --config: --no-config --rejected-log:"
    " -t|--tries: -O|--output-document: -nc|--no-clobber --no-netrc -c|--continue --start-pos: --progress:"
    " --show-progress -N|--timestamping --no-if-modified-since --no-use-server-timestamps -S|--server-response"
    " --spider -T|--timeout: --dns-timeout: --connect-timeout: --read-timeout: -w|--wait: --waitretry: --random-wait"
    " --no-proxy -Q|--quota: --bind-address: --limit-rate: --no-dns-cache --restrict-file-names: --ignore-case"
    " -4|--inet4-only -6|--inet6-only --prefer-family: --user: --password: --ask-password --no-iri --unlink"
    " -nd|--no-directories -x|--force-directories -nH|--no-host-directories --protocol-directories"
    " -P|--directory-prefix: --cut-dirs: --default-page: -E|--adjust-extension --http-user: --http-password: --no-cache"
    " --ignore-length --header: --compression: --max-redirect: --proxy-user: --proxy-password: --referer:"
    " --save-headers -U|--user-agent: --no-http-keep-alive --no-cookies --load-cookies: --save-cookies:"
    " --keep-session-cookies --post-data: --post-file: --method: --body-data: --body-file: --content-disposition"
    " --content-on-error --trust-server-names --auth-no-challenge --secure-protocol: --https-only --no-check-certificate"
    " --certificate: --private-key: --ca-certificate: --ca-directory: --ciphers: --no-hsts --hsts-file: --ftp-user:"
    " --ftp-password: --no-remove-listing --no-glob --no-passive-ftp --retr-symlinks --ftps-implicit --warc-file:"
    " -r|--recursive -l|--level: --delete-after -k|--convert-links -K|--backup-converted -m|--mirror -p|--page-requisites"
    " -A|--accept: -R|--reject: --accept-regex: --reject-regex: -D|--domains: --exclude-domains: --follow-ftp"
    " --follow-tags: --ignore-tags: -H|--span-hosts -L|--relative -I|--include-directories: -X|--exclude-directories:"
    " -np|--no-parent -n: --retry-connrefused --retry-on-http-error: --backups?"
)


def wget(command: Command) -> None:
    """Report the files that wget writes."""
    parsed = command.parse(_WGET)
    if parsed.has("V", "h"):
        return
    for name in ("o", "rejected-log", "save-cookies", "hsts-file", "warc-file"):
        for value in parsed.values(name):
            command.write(value, via=f"wget -{name}" if len(name) == 1 else f"wget --{name}")
    for value in parsed.values("a"):
        command.write(value, "append", via="wget -a")
    if parsed.has("spider"):
        return
    documents = parsed.values("O")
    if documents:
        if documents[-1].text != "-":
            command.write(documents[-1], via="wget -O")
        return
    prefix = parsed.last("P")
    if parsed.has("r", "m", "p", "x", "i", "e") or parsed.strange:
        if prefix is not None and not parsed.has("e"):
            command.write(prefix, recursive=True)
        else:
            command.opaque("wget chooses the names", remedy="name the file with `-O`")
        return
    _wget_names(command, parsed, prefix)


def _wget_names(command: Command, parsed: Parsed, prefix: Field | None) -> None:
    if parsed.has("content-disposition", "trust-server-names"):
        command.opaque("the server chooses the name", remedy="name the file with `-O`")
    for address in parsed.operands:
        name = name_in_address(address, default="index.html")
        if name is None:
            command.opaque("the name of the file comes from the address", remedy="name the file with `-O`")
            continue
        query = (address.text or "").partition("?")[2].partition("#")[0]
        full = unquote(name) + (f"?{query}" if query else "")
        command.write(_below(prefix, field(full, address.typed)))


def aria2c(command: Command) -> None:
    """Report the file of `-o`, below `-d`."""
    parsed = command.parse(
        Grammar.of(
            "-o|--out: -d|--dir: -x: -s: -j: -k: -c|--continue? -q|--quiet? -i|--input-file: -l|--log:"
            " --header: --allow-overwrite: --auto-file-renaming: -V|--check-integrity? -h|--help? -v|--version"
        )
    )
    if parsed.has("h", "v"):
        return
    out, directory = parsed.last("o"), parsed.last("d")
    for value in parsed.values("l"):
        command.write(value, via="aria2c -l")
    if out is not None:
        command.write(_below(directory, out), via="aria2c -o")
    elif directory is not None:
        command.write(directory, recursive=True)
    else:
        command.opaque("aria2c chooses the name", remedy="name the file with `-o`")


def httpie(command: Command) -> None:
    """`http`, `https`, `xh`: a file only with `-o` or `--download`."""
    parsed = command.parse(
        Grammar.of(
            "-o|--output: -d|--download -c|--continue -v|--verbose -h|--headers -b|--body -f|--form -j|--json"
            " --multipart --raw: -p|--print: -s|--style: -a|--auth: -A|--auth-type: --ignore-stdin -F|--follow"
            " --timeout: --check-status --verify: --session: --pretty: -q|--quiet --stream -x: --proxy: -m -I"
            " --version --help --offline"
        )
    )
    out = parsed.last("o")
    if out is not None:
        command.write(out, via=f"{command.name} -o")
    elif parsed.has("d") and not parsed.has("help", "version"):
        command.opaque("the server chooses the name", remedy="name the file with `-o`")
    if parsed.has("session"):
        command.opaque("the session is kept in a file")
