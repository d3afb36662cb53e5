/**
 * What a child sees of our environment: enough to run programs, nothing that could be a secret. Variables of ours that
 * a server needs are named in its own `env`.
 */
const inherited = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR"];

export type Environment = Readonly<Record<string, string | undefined>>;

export function childEnvironment(ours: Environment, theirs: Record<string, string>): Record<string, string> {
  // A Duet below learns how many stand above it, so that one that starts itself comes to an end.
  const environment: Record<string, string> = { DUET_DEPTH: String((Number(ours.DUET_DEPTH) || 0) + 1) };
  for (const name of inherited) {
    const value = ours[name];
    // A value that starts with "()" is an exported shell function, which old shells would run.
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  return { ...environment, ...theirs };
}
