/** Lists the parts of the chat's status line, in their order. */
export const statusParts = [
  "tools",
  "mode",
  "models",
  "context",
  "tokens",
  "cost",
  "folder",
  "branch",
  "search",
  "help",
] as const;

export type StatusPart = (typeof statusParts)[number];
