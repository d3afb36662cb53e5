import { type CompletedCommand, listPositionals, listValuedFlags, type Values } from "./completed-commands.ts";

/** Renders the completion for fish, as a file of `~/.config/fish/completions` has it. */
export function renderFish(commands: readonly CompletedCommand[]): string {
  return `# Completion of duet for fish: duet completion fish | source
${head}
    set -l at ''
    set -l skip 0
    for word in (commandline -opc)[2..]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case ${listValuedFlags(commands).join(" ")}
                set skip 1
                continue
            case '-*'
                continue
        end
        switch "$at $word"
            case ${commands
              .slice(1)
              .map(({ path }) => quote(path))
              .join(" ")}
                set at "$at $word"
            case '*'
                set at "$at _"
        end
    end
    string match -qr -- "^$argv[1]\\$" $at
end

complete -c duet -f
${commands.flatMap(renderCommand).join("\n")}
`;
}

const head = "function __duet_is_at";

function renderCommand(command: CompletedCommand): string[] {
  const { path, commands, options } = command;
  const words = commands.map(
    ({ name, help }) => `complete -c duet -n ${renderCondition(path)} -a ${name} -d ${quote(help)}`,
  );
  const flags = options.map(({ flag, short, help, values }) => {
    const letter = short ? ` -s ${short}` : "";
    const value = values === undefined ? "" : ` ${offer(values)}`;
    return `complete -c duet -n ${renderCondition(`${path}( _)*`)} -l ${flag.slice(2)}${letter}${value} -d ${quote(help)}`;
  });
  const places = listPositionals(command).map(({ place, values }) => {
    const before = place === "*" ? "( _)*" : " _".repeat(Number(place));
    return `complete -c duet -n ${renderCondition(`${path}${before}`)} ${offer(values)}`;
  });
  return [...words, ...flags, ...places];
}

function renderCondition(pattern: string): string {
  return quote(`__duet_is_at ${quote(pattern)}`);
}

function offer(values: Values): string {
  if (values === "none") return "-x";
  if (values === "file") return "-r -F";
  if (values === "folder") return "-x -a '(__fish_complete_directories)'";
  if (values === "conversation") return "-x -a '(duet completion conversations 2>/dev/null)'";
  return `-x -a ${quote(values.join(" "))}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
