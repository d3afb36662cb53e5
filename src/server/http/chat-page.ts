import type { OpenPages } from "./authenticate.ts";

/** The page at `/`, for browsers; nothing that it shows is in it, so anybody may load it. */
export function chatPages(): OpenPages {
  return {};
}
