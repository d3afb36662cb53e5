import type { Gateway } from "../../app.ts";
import type { Locale } from "../../core/locale.ts";
import type { Announcements } from "./announce.ts";

/** What one connection's host is offered, and how. */
export interface Exposed {
  gateway: Gateway;
  locale: Locale;
  /** Tokens that a list of tools may weigh; beyond them the host gets two tools that find and call the others. */
  listLimit: number;
  /** Stands for the host's user: whoever is asked by this connection is one person. */
  person: object;
  /** Gives the host a list, and tells it when that has become another one. */
  give: Announcements["give"];
}
