import * as z from "zod";
import { patterns, text, withAllowed } from "./schema-parts.ts";

const mailServer = z
  .string()
  .refine(
    (host) => /^([^\s/@:]+|[0-9a-f:.]+)$/i.test(host),
    withAllowed({ zh: "主机名或地址，不带端口", en: "a host or an address, without a port" }),
  );

const sender = z.string().refine(
  (from) =>
    /^(("[^"\\\p{Cc}]*"|[^"<>,;:@\p{Cc}]*)\s*<[^\s<>,;:@]+@[^\s<>,;:@]+>|[^\s<>,;:@]+@[^\s<>,;:@]+)$/u.test(from),
  withAllowed({
    zh: "name@example.com 或 Name <name@example.com>",
    en: "name@example.com or Name <name@example.com>",
  }),
);

export const emailSchema = z
  .strictObject({
    host: mailServer.optional().meta({ description: "The SMTP server; without it there is no send_email." }),
    port: z.int().min(1).max(65_535).default(587),
    secure: z
      .boolean()
      .optional()
      .meta({ description: "TLS from the first byte; absent: on port 465 only, else STARTTLS." }),
    user: text.optional().meta({ description: "The user that signs in with the password; without it, no sign-in." }),
    password: text.optional().meta({ description: "The password; SMTP_PASSWORD is safer than this file." }),
    from: sender.optional().meta({ description: "The sender: Name <name@example.com>; user when absent." }),
    recipients: patterns.default(["*"]).meta({ description: "Allowed recipients: *@example.com." }),
  })
  .meta({ description: "How send_email sends; it always asks a person first." });
