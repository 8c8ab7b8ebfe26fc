"""Names of programs that only read."""

from __future__ import annotations

from phasegate.targets.shell.wordlist import words

READERS = words(
    # files and text
    "head tail grep egrep fgrep zgrep zegrep zfgrep bzgrep xzgrep rg ag ack ugrep wc nl tac rev fold fmt pr expand"
    " unexpand column cut paste join comm diff diff3 colordiff cmp zdiff zcmp tr od hexdump hd namei locate mlocate plocate"
    " strings file stat du df ls dir vdir lsattr getfacl getfattr cksum sum md5sum sha1sum sha224sum sha256sum pathchk"
    " sha384sum sha512sum b2sum b3sum md5 shasum tsort look bat batcat zcat gzcat bzcat xzcat lzcat zstdcat"
    " zless zmore bzless xzless more pg most numfmt factor bc expr units cal ncal exa eza lsd datamash dircolors"
    " tokei wdiff delta lsdiff grepdiff filterdiff combinediff xsv qsv"
    " jq gojq gron pup csvcut csvgrep csvlook csvstat csvjson csvsort"
    " nm objdump readelf size ldd addr2line c++filt dwarfdump otool pdfinfo pdffonts identify"
    " soxi zipinfo zipgrep funzip lsar xxhsum crc32 hexyl glow mdcat aspell hunspell ispell"
    " man apropos whatis tldr cheat col ul colrm line lynx w3m links elinks javap"
    # system
    " which whereis type hash uname nproc uptime whoami who w id groups users logname hostid"
    " last lastlog finger pinky tty locale getconf getent printenv ps pgrep pstree top htop getcap chage lsb_release"
    " btop free vmstat iostat mpstat lscpu lsblk lsusb lspci lsmod lsof fuser lslocks lsns ipcs findmnt getenforce sestatus"
    " blkid mountpoint loginctl sw_vers system_profiler fc-list jps jstack uuidgen mcookie pwgen figlet cowsay fortune neofetch"
    " ulimit umask jobs times caller help compgen complete dirs suspend disown bg fg bind enable deactivate"
    " wait kill pkill killall xkill sleep usleep yes clear tput sync reset lolcat toilet"
    " renice logger wall beep say notify-send cpuid acpi sensors vainfo glxinfo xdpyinfo xrandr"
    # network
    " ping ping6 traceroute tracepath mtr dig host nslookup whois netstat ss arp telnet ipcalc"
)
"""Programs that change no file whatever their options are."""

CHECKS = words(
    "shellcheck hadolint yamllint jsonlint flake8 pycodestyle pydocstyle pylint mypy pyright basedpyright bandit vulture"
    " radon lizard checkmake actionlint kubeval kubeconform golint staticcheck errcheck ineffassign cppcheck cpplint"
    " luacheck tflint proselint vale write-good alex depcheck cloc scc sar mediainfo diffstat sdiff info pv lshw dmidecode"
    " nvidia-smi rocm-smi htmlq golangci-lint rubocop swiftlint dc ajv phpstan psalm phpcs phpmd checkstyle pmd"
    " semgrep-core ansible-lint cfn-lint sqlfluff gixy dockle trivy grype syft osv-scanner pip-audit safety"
)
"""Programs that check or describe, and can write a report or a correction when told to."""

REPORTING = words(
    "-o --output --output-file --out --outfile --out-file --report-file --log-file --logfile --LogFile --junit-xml"
    " --junitxml --html-report --xml-report --txt-report --cobertura-xml-report --linecount-report --any-exprs-report"
    " --lineprecision-report --lineoverage-report --memory-xml-report --plist-output --dump-bin --save --writebaseline"
    " --report --export --error-log -O -f --filename -dump"
)
"""Options of such programs that name a file; those that only choose a format are harmless."""

CORRECTING = words(
    "--fix --write --in-place --inplace -i --autocorrect --auto-correct --autocorrect-all -a -A -x --fix-layout"
    " --auto-gen-config --generate-config --init --init-config --create-config --createstub --install-types --apply"
)
"""Options of such programs that rewrite what is checked, or write a configuration."""
