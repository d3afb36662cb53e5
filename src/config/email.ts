import type { EmailSettings } from "./config.ts";
import { configError } from "./config-errors.ts";
import type { Settings } from "./schema/file-schema.ts";
import { getValue } from "./sources/setting-path.ts";
import type { Origin, Source } from "./sources/source.ts";

/**
 * Undefined where no server is set. Throws when nobody can be the sender, unless only the environment names a server: it may be
 * meant for others.
 */
export function readEmail(
  email: Settings["email"],
  sources: readonly Source[],
  origin: Origin | undefined,
): EmailSettings | undefined {
  const { host, port, secure = port === 465, user, password, recipients } = email;
  if (host === undefined) return undefined;
  const from = email.from ?? (user?.includes("@") ? user : undefined);
  if (from !== undefined) return { host, port, secure, user, password, from, recipients };
  if (origin?.from === "environment") return undefined;
  const source = sources.findLast((each) => getValue(each.tree, ["email", "host"]) !== undefined);
  throw configError(source?.where(["email", "host"]) ?? "email.host", needsSender);
}

const needsSender = {
  zh: "发送邮件需要发件人：请设置 SMTP_FROM 或 email.from",
  en: "mail needs a sender: set SMTP_FROM or email.from",
};
