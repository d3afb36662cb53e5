/** Something the reader should know beside the answer: a limit, a retry, a repair, a fallback. */
export interface Notice {
  type: "notice";
  level: "info" | "warning";
  code: string;
  message: string;
}
