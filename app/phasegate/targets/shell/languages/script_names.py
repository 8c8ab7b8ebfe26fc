"""Functions of JavaScript, Ruby, Perl and PHP, by what they do to files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phasegate.targets.shell.wordlist import words

if TYPE_CHECKING:
    from phasegate.core.call import TargetOp


@dataclass(frozen=True, slots=True)
class Arg:
    """An argument that names a file: its position (-1: each of them), and what happens to it."""

    position: int
    op: TargetOp
    recursive: bool = False
    follow: bool = True
    into: int | None = None


_W = (Arg(0, "write"),)
_A = (Arg(0, "append"),)
_D = (Arg(0, "delete", False, False),)
_TREE = (Arg(0, "delete", True, False),)
_MV = (Arg(0, "move_from", False, False), Arg(1, "move_to", False, False))
_CP = (Arg(1, "write"),)
_INTO = (Arg(1, "write", into=0),)
_T = (Arg(0, "truncate"),)
_M = (Arg(0, "chmod"),)
_LN = (Arg(1, "write", False, False),)


def _each(names: str, change: tuple[Arg, ...]) -> dict[str, tuple[Arg, ...]]:
    return dict.fromkeys(names.split(), change)


@dataclass(frozen=True, slots=True)
class Names:
    """The tables of one language.

    `writes`: calls by name. `openers`: position of the path and of the mode. `shells`:
    calls whose first argument is shell text (with more arguments: a program).
    `programs`: calls that start a program. `safe`: names that change nothing.
    `dangerous`: every name of the other tables and those that can't be followed.
    """

    writes: Mapping[str, tuple[Arg, ...]]
    openers: Mapping[str, tuple[int, int]]
    shells: frozenset[str]
    programs: frozenset[str]
    safe: frozenset[str]
    refused: frozenset[str]


JAVASCRIPT = Names(
    writes={
        **_each(
            "writeFile writeFileSync createWriteStream outputFile outputFileSync outputJson outputJsonSync writeJson"
            " writeJsonSync ensureFile ensureFileSync writeTextFile writeTextFileSync utimes utimesSync lutimes lutimesSync"
            " Bun.write",
            _W,
        ),
        **_each("appendFile appendFileSync", _A),
        **_each("unlink unlinkSync rmdir rmdirSync", _D),
        **_each("rm rmSync rimraf rimrafSync remove removeSync emptyDir emptyDirSync", _TREE),
        **_each("rename renameSync move moveSync", _MV),
        **_each("copyFile copyFileSync", _CP),
        **_each("cp cpSync copy copySync", (Arg(1, "write", True),)),
        **_each("truncate truncateSync", _T),
        **_each("chmod chmodSync chown chownSync lchmod lchown", _M),
        **_each("symlink symlinkSync link linkSync", _LN),
    },
    openers={"openSync": (0, 1), "open": (0, 1)},
    shells=frozenset({"execSync", "exec"}),
    programs=frozenset({"spawn", "spawnSync", "execFile", "execFileSync"}),
    safe=words(
        "log error warn info debug table dir trace time timeEnd group groupEnd assert parse stringify keys values entries"
        " assign freeze fromEntries isArray from of map filter reduce reduceRight forEach some every find findIndex findLast"
        " includes indexOf lastIndexOf slice splice concat join push pop shift unshift reverse sort flat flatMap fill at"
        " split replace replaceAll match matchAll test search trim trimStart trimEnd padStart padEnd repeat startsWith endsWith"
        " toUpperCase toLowerCase charAt charCodeAt codePointAt substring substr localeCompare normalize toString toFixed"
        " toPrecision toISOString toJSON toLocaleString toLocaleDateString toLocaleTimeString getTime getFullYear getMonth"
        " getDate getDay getHours getMinutes getSeconds now UTC valueOf hasOwnProperty has get set add clear max min floor ceil"
        " round abs random sqrt pow sign trunc log2 log10 hypot parseInt parseFloat Number String Boolean Array Object Date Map"
        " Set WeakMap RegExp Error TypeError Promise Symbol BigInt Buffer URL URLSearchParams isNaN isFinite isInteger"
        " encodeURIComponent decodeURIComponent encodeURI decodeURI atob btoa readFileSync readFile existsSync exists statSync"
        " stat lstatSync lstat readdirSync readdir accessSync access realpathSync realpath readlinkSync readlink openAsBlob"
        " createReadStream readJson readJsonSync pathExists pathExistsSync mkdirSync mkdir mkdtempSync mkdtemp ensureDir"
        " ensureDirSync resolve relative dirname basename extname isAbsolute format cwd exit memoryUsage hrtime uptime nextTick"
        " setTimeout setInterval setImmediate clearTimeout clearInterval then catch finally all allSettled race any reject"
        " next return throw createHash update digest randomBytes randomUUID inspect promisify fetch json text arrayBuffer blob"
        " platform arch cpus totalmem freemem hostname homedir tmpdir type release networkInterfaces userInfo"
        " byteLength alloc isBuffer compare equals readUInt8 readUInt16LE readUInt32LE readInt32LE toArray on once off emit"
        " setEncoding end close closeSync readSync read write writeSync pipe getOwnPropertyNames getPrototypeOf"
        " defineProperty create is call apply bind iterator keyFor structuredClone queueMicrotask super constructor require"
        " isDirectory isFile isSymbolicLink createInterface question prompt delete count gzipSync gunzipSync deflateSync"
        " inflateSync Intl NumberFormat DateTimeFormat formatToParts performance mark measure compile fromCharCode"
        " fromCodePoint raw ifError strictEqual deepStrictEqual equal ok file readTextFile readTextFileSync env"
    ),
    refused=words(
        "eval Function execScript runInThisContext runInNewContext runInContext import _load dlopen fork Worker spawnProcess"
        " binding process_binding createRequire register"
    ),
)

_RUBY_SAFE = (
    "puts print p pp printf putc warn raise require lambda proc loop catch throw rand srand sleep exit"
    " abort gets format sprintf Integer Float String Array Hash Rational Complex block_given? freeze frozen?"
    " File IO Dir JSON YAML CSV Time Date DateTime Math Set Struct OpenStruct Regexp Comparable Enumerable Kernel Process"
    " Random SecureRandom Digest::MD5 Digest::SHA1 Digest::SHA256 Digest Base64 URI Net::HTTP Pathname StringIO ARGV ARGF ENV"
    " STDIN STDOUT STDERR RUBY_VERSION RUBY_PLATFORM RUBY_ENGINE DATA Encoding Encoding::UTF_8 Range Proc Symbol Object Class"
    " Module Exception StandardError ArgumentError RuntimeError Errno::ENOENT Benchmark ERB Shellwords FileUtils Tempfile"
    " write binwrite rename truncate chmod rmdir utime flock open Gem Gem::Version Nokogiri Nokogiri::HTML Nokogiri::XML Zlib BigDecimal PP Etc"
    " read readlines foreach exist? exists? file? directory? symlink? size zero? mtime ctime atime basename dirname extname"
    " join expand_path realpath absolute_path readable? writable? executable? stat lstat readlink glob entries children each_child"
    " pwd getwd home mkdir mkdir_p makedirs tmpdir parse generate pretty_generate dump safe_load load_file"
    " new each each_with_index each_with_object each_line each_char each_slice each_cons each_pair each_key each_value map"
    " flat_map collect select filter filter_map reject find detect find_all find_index inject reduce sum count min max minmax min_by"
    " max_by sort sort_by group_by partition zip take drop take_while drop_while first last push pop shift unshift insert append"
    " prepend concat compact flatten uniq reverse rotate sample shuffle include? member? any? all? none? one? empty? length to_a"
    " to_h to_s to_i to_f to_sym to_json to_yaml to_r to_c to_str to_path to_set inspect keys values key? has_key? value? fetch dig"
    " merge merge! update store delete delete_if delete_at keep_if transform_values transform_keys invert slice except sub gsub"
    " sub! gsub! tr tr! tr_s strip lstrip rstrip chomp chop chomp! strip! squeeze split lines chars bytes scan match match? =~"
    " start_with? end_with? upcase downcase capitalize swapcase upcase! downcase! capitalize! center ljust rjust index rindex"
    " encode force_encoding unpack unpack1 pack hex oct ord chr succ next pred times upto downto step round floor ceil abs divmod"
    " even? odd? positive? negative? zero? nil? is_a? kind_of? instance_of? respond_to? tap then yield_self itself dup clone"
    " object_id hash eql? equal? nonzero? between? clamp now today strftime iso8601 year month day hour min sec yday wday at"
    " hexdigest digest base64digest strict_encode64 encode64 decode64 urlsafe_encode64 gets getc readline rewind eof? close"
    " closed? sync flush fsync lineno pos seek tell each_byte value values_at begin end captures"
    " named_captures pre_match post_match uuid hex alphanumeric version code body message backtrace full_message headers css xpath"
    " text content at_css at_xpath escape unescape get_response host path port query scheme instance_variables methods"
    " if unless else elsif end while until for in do case when then begin rescue ensure def class module return break next redo"
    " retry yield self super nil true false and or not defined? alias undef BEGIN END __FILE__ __LINE__ __method__ attr_accessor"
    " attr_reader attr_writer include extend private public protected initialize loop each_entry lazy force ascii_only?"
    " valid_encoding? unicode_normalize ljust getbyte byteslice casecmp casecmp? delete_prefix delete_suffix tally cycle chunk_while"
    " slice_when each_entry step cover? exclude_end? clear fill combination permutation product transpose assoc"
    " bsearch sum minmax_by uniq! sort! map! select! reject! compact! flatten! reverse! shuffle! freeze relative? absolute? parent"
    " relative_path_from cleanpath each_filename sub_ext filter! shellescape shellsplit realtime measure report bm ceildiv"
    " digits gcd lcm pow fdiv nan? infinite? finite? numerator denominator real imaginary conj arg polar"
    " instance_variable_get ARGV"
)

RUBY = Names(
    writes={
        **_each(
            "File.write IO.write File.binwrite IO.binwrite Pathname.write FileUtils.touch FileUtils.mkfifo File.mkfifo",
            _W,
        ),
        **_each("File.delete File.unlink", (Arg(-1, "delete", False, False),)),
        **_each("Dir.rmdir Dir.delete Dir.unlink FileUtils.rmdir", _D),
        **_each("FileUtils.rm FileUtils.rm_f FileUtils.remove FileUtils.safe_unlink", _D),
        **_each(
            "FileUtils.rm_r FileUtils.rm_rf FileUtils.rmtree FileUtils.remove_dir FileUtils.remove_entry"
            " FileUtils.remove_entry_secure FileUtils.remove_file",
            _TREE,
        ),
        **_each("File.rename", _MV),
        **_each(
            "FileUtils.mv FileUtils.move",
            (Arg(0, "move_from", False, False), Arg(1, "move_to", False, False, 0)),
        ),
        **_each("FileUtils.cp FileUtils.copy FileUtils.copy_file FileUtils.install IO.copy_stream", _INTO),
        **_each("FileUtils.cp_r FileUtils.copy_entry", (Arg(1, "write", True, into=0),)),
        **_each(
            "FileUtils.ln FileUtils.ln_s FileUtils.ln_sf FileUtils.symlink FileUtils.link File.symlink File.link",
            _LN,
        ),
        **_each("File.truncate", _T),
        **_each("File.chmod File.lchmod FileUtils.chmod FileUtils.chmod_R", (Arg(1, "chmod"),)),
        **_each("File.chown FileUtils.chown FileUtils.chown_R", (Arg(2, "chmod"),)),
        **_each("File.utime", (Arg(2, "write"),)),
    },
    openers={
        "File.open": (0, 1),
        "File.new": (0, 1),
        "open": (0, 1),
        "IO.sysopen": (0, 1),
        "CSV.open": (0, 1),
        "Zlib::GzipWriter.open": (0, 9),
    },
    shells=frozenset({"system", "exec", "spawn", "IO.popen", "Kernel.system"}),
    programs=frozenset(),
    safe=frozenset(_RUBY_SAFE.split()),
    refused=words(
        "eval instance_eval class_eval module_eval send public_send __send__ method instance_method define_method load"
        " require_relative autoload fork syscall trap const_get binding Open3 PTY Fiddle set_trace_func at_exit ObjectSpace"
        " in_place_mode inplace_mode chdir Dir.chdir unlink rmtree"
    ),
)

RUBY_PATH_METHODS = words(
    "write binwrite delete unlink rename rmtree rmdir truncate chmod lchmod chown utime make_link make_symlink open new"
)
"""Methods of Ruby that change a file when they belong to a path or to a class of files."""

PERL = Names(
    writes={
        **_each("unlink", (Arg(-1, "delete", False, False),)),
        **_each("rmdir", _D),
        **_each("rename move File::Copy::move mv", _MV),
        **_each("copy File::Copy::copy cp", _INTO),
        **_each("rmtree remove_tree File::Path::rmtree File::Path::remove_tree", _TREE),
        **_each("truncate", _T),
        **_each("symlink link", _LN),
        **_each("chmod", (Arg(1, "chmod"),)),
        **_each("chown utime", (Arg(2, "chmod"),)),
        **_each("write_file spew", _W),
        **_each("mkfifo", _W),
    },
    openers={"open": (2, 1), "sysopen": (1, 2)},
    shells=frozenset({"system", "exec"}),
    programs=frozenset(),
    safe=words(
        "print printf say sprintf my our local use no strict warnings utf8 if unless else elsif while until for foreach"
        " return last next redo sub shift unshift push pop splice sort reverse map grep join split keys values each exists delete"
        " defined undef scalar ref bless wantarray die warn exit length substr index rindex uc lc ucfirst lcfirst chomp chop chr ord"
        " hex oct abs int sqrt sin cos atan2 exp log rand srand time localtime gmtime sleep lc fc pos quotemeta pack unpack vec"
        " sprintf crypt tr x and or not xor eq ne lt gt le ge cmp qw STDIN STDOUT STDERR ARGV ENV INC BEGIN END __FILE__ __LINE__"
        " __PACKAGE__ __DATA__ __END__ binmode close eof fileno read seek tell readline opendir readdir closedir rewinddir stat"
        " lstat readlink mkdir make_path mkpath cwd getcwd basename dirname fileparse catfile catdir rel2abs abs2rel File::Spec"
        " File::Basename File::Find Data::Dumper Dumper List::Util sum sum0 min max first shuffle uniq reduce any all none"
        " JSON::PP JSON decode_json encode_json decode encode new pretty canonical POSIX strftime floor ceil Time::HiRes"
        " Time::Local timelocal MIME::Base64 encode_base64 decode_base64 Digest::MD5 md5_hex Digest::SHA sha256_hex sha1_hex"
        " Encode Cwd getppid getpwuid getpwnam caller can isa lock prototype study reset wait times umask getc sysread select"
        " e f d l r w s z M A C constant feature vars lc parent base overload is_deeply isatty Term::ANSIColor colored"
        " File::Copy File::Path Getopt::Long GetOptions Text::Wrap wrap Scalar::Util looks_like_number blessed reftype weaken"
        " slurp read_file lines path Path::Tiny exists is_file is_dir child children stringify syswrite default given when else"
        " bigint nonblocking autoflush IO::Handle Storable dclone Math::Trig pi Text::CSV getline parse fields"
    ),
    refused=words(
        "eval do require fork syscall glob dump dbmopen ioctl fcntl chdir chroot DynaLoader find finddepth"
        " IO::File Tie::File tie store nstore retrieve IPC::Open3 IPC::Open2 open2 open3"
    ),
)

PHP = Names(
    writes={
        **_each("file_put_contents touch mkfifo posix_mkfifo imagepng", _W),
        **_each("unlink rmdir", _D),
        **_each("rename", _MV),
        **_each("copy", _CP),
        **_each("move_uploaded_file", _CP),
        **_each("symlink link", _LN),
        **_each("chmod chown chgrp lchown lchgrp", _M),
    },
    openers={"fopen": (0, 1), "gzopen": (0, 1), "bzopen": (0, 1), "SplFileObject": (0, 1)},
    shells=frozenset({"exec", "shell_exec", "system", "passthru", "popen"}),
    programs=frozenset(),
    safe=words(
        "echo print printf sprintf vsprintf print_r var_dump var_export json_encode json_decode file_get_contents file fread fgets"
        " fgetc feof fclose fwrite fputs fputcsv fgetcsv file_exists is_file is_dir is_link is_readable is_writable is_writeable"
        " is_executable filesize filemtime fileatime filectime fileperms fileowner stat lstat readlink realpath basename dirname"
        " pathinfo glob scandir opendir readdir closedir getcwd mkdir sys_get_temp_dir tempnam tmpfile readfile strlen strtolower"
        " strtoupper ucfirst ucwords lcfirst trim ltrim rtrim explode implode join str_replace str_ireplace substr substr_count"
        " strpos stripos strrpos strstr strrev str_pad str_repeat str_split str_contains str_starts_with str_ends_with nl2br"
        " htmlspecialchars html_entity_decode strip_tags addslashes number_format preg_match preg_match_all preg_replace preg_split"
        " preg_quote preg_grep preg_replace_callback count sizeof in_array array_map array_filter array_reduce array_keys"
        " array_values array_merge array_combine array_flip array_slice array_splice array_unique array_reverse array_sum"
        " array_search array_key_exists array_column array_push array_pop array_shift array_unshift array_fill array_diff"
        " array_intersect array_chunk array_pad array_walk range compact extract sort rsort usort uasort uksort ksort krsort asort"
        " arsort min max sum abs ceil floor round sqrt pow intdiv fmod rand mt_rand random_int random_bytes pi intval floatval"
        " strval boolval is_array is_string is_int is_numeric is_null is_bool is_object is_callable isset empty unset gettype"
        " date time mktime strtotime microtime date_default_timezone_set date_default_timezone_get hrtime md5 sha1 hash crc32"
        " base64_encode base64_decode urlencode urldecode rawurlencode http_build_query parse_url parse_str bin2hex hex2bin"
        " serialize unserialize uniqid phpversion php_uname php_sapi_name PHP_VERSION PHP_EOL PHP_OS ini_get extension_loaded"
        " get_loaded_extensions function_exists class_exists memory_get_usage getenv gethostname exit die usleep sleep"
        " if else elseif foreach for while do switch case break continue return function fn new class array list as true false null"
        " and or xor instanceof const static public private protected try catch finally throw use namespace declare strict_types"
        " TRUE FALSE NULL M_PI STDIN STDOUT STDERR JSON_PRETTY_PRINT JSON_UNESCAPED_SLASHES JSON_UNESCAPED_UNICODE"
        " JSON_THROW_ON_ERROR SORT_NUMERIC FILE_IGNORE_NEW_LINES FILE_SKIP_EMPTY_LINES LOCK_EX FILE_APPEND ENT_QUOTES DateTime"
        " Exception DateInterval format modify getTimestamp getMessage match default simplexml_load_file simplexml_load_string"
        " mb_strlen mb_substr mb_strtoupper mb_strtolower iconv utf8_encode yaml_parse_file parse_ini_file parse_ini_string"
        " iterator_to_array var PHP_INT_MAX DIRECTORY_SEPARATOR __DIR__ __FILE__ fseek ftell rewind flock fflush"
    ),
    refused=words(
        "eval assert create_function include include_once require require_once call_user_func call_user_func_array proc_open"
        " pcntl_exec pcntl_fork dl chdir backtick ini_set register_shutdown_function"
    ),
)
