import {
  type CompletedCommand,
  listValuedFlags,
  renderPaths,
  renderPlaceCases,
  renderValueCases,
  type ShellWords,
  type Values,
} from "./completed-commands.ts";

/** Renders the completion for zsh: to be sourced after `compinit`, or a file `_duet` in a folder of `fpath`. */
export function renderZsh(commands: readonly CompletedCommand[]): string {
  const cases = renderValueCases(commands, shell);
  const flags = commands.map(({ path, options }) => {
    const rows = options.flatMap(({ flag, short, help }) => [
      describe(flag, help),
      ...(short ? [describe(`-${short}`, help)] : []),
    ]);
    return `      ${quote(path)}) found=(${rows.join(" ")}) ;;`;
  });
  const words = commands
    .filter((command) => command.commands.length > 0)
    .map(({ path, commands: below }) => {
      const rows = below.map(({ name, help }) => describe(name, help));
      return `    ${quote(`${path}:0`)}) found=(${rows.join(" ")}); _describe -t commands command found ;;`;
    });
  const places = renderPlaceCases(commands, shell);
  return `#compdef duet
# Completion of duet for zsh: source <(duet completion zsh), or a file _duet in a folder of fpath.
_duet() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} at='' word
  local -i count=0 i
  local -a found
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    compset -P '--*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    case $word in
      (${listValuedFlags(commands).join("|")}) ((i++)); continue ;;
      (-*) continue ;;
    esac
    case "$at $word" in
      (${renderPaths(commands, shell)}) at="$at $word" ;;
      (*) ((count++)) ;;
    esac
  done
  case "$at:$prev" in
${cases.join("\n")}
  esac
  if [[ $cur == -* ]]; then
    case "$at" in
${flags.join("\n")}
    esac
    _describe -o -t options option found
    return
  fi
  case "$at:$count" in
${[...words, ...places].join("\n")}
  esac
}
if [[ \${funcstack[1]} == _duet ]]; then
  _duet "$@"
else
  compdef _duet duet
fi
`;
}

const shell: ShellWords = { quote, offer };

function offer(values: Values): string {
  if (values === "none") return "_message value";
  if (values === "file") return "_files";
  if (values === "folder") return "_files -/";
  if (values === "conversation")
    return `found=("\${(@f)$(\${words[1]} completion conversations 2>/dev/null | sed $'s/\\t/:/')}"); _describe -t conversations conversation found`;
  return `compadd -- ${values.map(quote).join(" ")}`;
}

function describe(name: string, help: string): string {
  return quote(`${name}:${help}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
