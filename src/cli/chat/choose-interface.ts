/** What decides on the face of a chat. */
export interface TerminalTraits {
  readonly stdin: { readonly isTTY?: boolean | undefined };
  /** `columns` in cells; 0 or absent where the terminal does not tell. */
  readonly stdout: { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined };
  /** The variable `TERM`. */
  readonly term: string | undefined;
  readonly isScreenReader: boolean;
}

/** The screen only on a terminal that can move its cursor and is wide enough; plain lines everywhere else. */
export function chooseInterface({ stdin, stdout, term, isScreenReader }: TerminalTraits): "screen" | "plain" {
  if (!stdin.isTTY || !stdout.isTTY || isScreenReader || term === "dumb") return "plain";
  return (stdout.columns ?? 0) >= fewestColumns ? "screen" : "plain";
}

/** Below it a menu or a question does not fit. */
const fewestColumns = 20;
