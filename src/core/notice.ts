/** Something the reader should know beside the answer: a limit, a retry, a repair, a fallback. */
export interface Notice {
  type: "notice";
  level: "info" | "warning";
  code: string;
  message: string;
  /** It belongs into logs: people are shown it with `--verbose` only. Absent where everybody reads it. */
  forLog?: true | undefined;
}
