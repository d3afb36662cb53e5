import type { MailAddress } from "./addresses.ts";

export interface MailServer {
  host: string;
  port: number;
  /** TLS from the first byte; else the connection is made secure before anything is said, unless the host is this machine. */
  secure: boolean;
  user?: string | undefined;
  password?: string | undefined;
  /** `Name <address>` or an address. */
  from: string;
}

export interface Mail {
  to: MailAddress[];
  cc: MailAddress[];
  bcc: MailAddress[];
  subject: string;
  text: string;
}

export interface MailTimes {
  /** Milliseconds until the server has greeted, and between two of its words. */
  connectMs: number;
  silenceMs: number;
  totalMs: number;
}
