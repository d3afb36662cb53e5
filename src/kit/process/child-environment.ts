import { posix, win32 } from "node:path";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface PassedVariables {
  /** Holds the child's own variables, which override all others. */
  env?: Readonly<Record<string, string>>;
  /** Names the variables of our environment that the child also gets. One that is not set is left out. */
  inheritEnv?: readonly string[];
}

/** Describes the machine and the Node that we run on. */
export interface Host {
  platform: NodeJS.Platform;
  /** Holds the path of our own Node. */
  execPath: string;
}

/**
 * A child inherits these variables: enough to run programs, and none that could be a secret. A server's own settings name any
 * other variable of ours that it needs.
 */
const inherited = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "TMPDIR"];
const inheritedOnWindows = [
  ...["APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMFILES"],
  ...["SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE"],
];

/** This PATH is used when the environment has none. */
const usualPlaces = ["/usr/local/bin", "/opt/homebrew/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];

/**
 * Returns the whole environment of a child. The directory of our own Node comes last in its PATH, so that `npx` and `node` are
 * also found when a desktop application has started us under a Node of nvm and without a login shell's PATH.
 */
export function createChildEnvironment(
  ours: Environment,
  passed: PassedVariables = {},
  host: Host = process,
): Record<string, string> {
  const { env = {}, inheritEnv = [] } = passed;
  const onWindows = host.platform === "win32";
  const base = onWindows ? inheritedOnWindows : inherited;
  /** Windows does not tell `Path` from `PATH`: there must be one of them. */
  const normalizeName = (name: string): string => (onWindows ? name.toUpperCase() : name);
  const known = new Map(Object.entries(ours).map(([name, value]) => [normalizeName(name), value]));

  const environment: Record<string, string> = {};
  for (const name of [...base, ...inheritEnv.map(normalizeName)]) {
    const value = known.get(name);
    // A value that starts with "()" is an exported shell function, which old shells would run.
    if (value !== undefined && !value.startsWith("()")) environment[name] = value;
  }
  environment.PATH = withOwnNode(environment.PATH, host);
  // A Duet below learns how many stand above it, so that one that starts itself comes to an end.
  environment.DUET_DEPTH = String((Number(ours.DUET_DEPTH) || 0) + 1);
  for (const [name, value] of Object.entries(env)) environment[normalizeName(name)] = value;
  return environment;
}

function withOwnNode(path: string | undefined, { platform, execPath }: Host): string {
  const { delimiter, dirname } = platform === "win32" ? win32 : posix;
  const places = path ? path.split(delimiter) : platform === "win32" ? [] : usualPlaces;
  const own = dirname(execPath);
  return (places.includes(own) ? places : [...places, own]).join(delimiter);
}
