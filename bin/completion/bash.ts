import {
  type CompletedCommand,
  listValuedFlags,
  renderPaths,
  renderPlaceCases,
  renderValueCases,
  type ShellWords,
  type Values,
} from "./completed-commands.ts";

/** Renders the completion for bash, from version 3.2 on. */
export function renderBash(commands: readonly CompletedCommand[]): string {
  const cases = renderValueCases(commands, shell);
  const flags = commands.map(
    ({ path, options }) =>
      `      ${quote(path)}) ${offer(options.flatMap(({ flag, short }) => (short ? [flag, `-${short}`] : [flag])))} ;;`,
  );
  const words = commands
    .filter((command) => command.commands.length > 0)
    .map(({ path, commands: below }) => `    ${quote(`${path}:0`)}) ${offer(below.map(({ name }) => name))} ;;`);
  const places = renderPlaceCases(commands, shell);
  return `# Completion of duet for bash: source <(duet completion bash)
_duet_words() {
  local word
  for word in "$@"; do
    [[ $word == "$cur"* ]] && COMPREPLY+=("$word")
  done
}

_duet_conversations() {
  local id
  while IFS= read -r id; do
    _duet_words "$id"
  done < <("\${COMP_WORDS[0]}" completion conversations 2>/dev/null | cut -f1)
}

_duet_files() {
  local file
  compopt -o filenames 2>/dev/null
  while IFS= read -r file; do
    COMPREPLY+=("$file")
  done < <(compgen "$1" -- "$cur")
}

_duet() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} at='' count=0 i word
  COMPREPLY=()
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    case $word in
      ${listValuedFlags(commands).join("|")})
        if [[ \${COMP_WORDS[i + 1]} == '=' ]]; then i=$((i + 2)); else i=$((i + 1)); fi
        continue ;;
      -*) continue ;;
    esac
    case "$at $word" in
      ${renderPaths(commands, shell)}) at="$at $word" ;;
      *) count=$((count + 1)) ;;
    esac
  done
  case "$at:$prev" in
${cases.join("\n")}
  esac
  if [[ $cur == -* ]]; then
    case "$at" in
${flags.join("\n")}
    esac
    return
  fi
  case "$at:$count" in
${[...words, ...places].join("\n")}
  esac
}
complete -F _duet duet
`;
}

const shell: ShellWords = { quote, offer };

function offer(values: Values): string {
  if (values === "none") return "return";
  if (values === "file") return "_duet_files -f";
  if (values === "folder") return "_duet_files -d";
  if (values === "conversation") return "_duet_conversations";
  return `_duet_words ${values.map(quote).join(" ")}`;
}

function quote(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
