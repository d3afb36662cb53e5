import type { Text } from "../locale.ts";

/** OpenSSL says so where a server answers its first words with those of another protocol; Node gives it one of two codes. */
const noTls = /\b(EPROTO|ERR_SSL_\w+)\b.*(wrong version number|packet length too long)/i;

/** Returns true when the code and the message of a socket say that the server there does not speak TLS. */
export function isWithoutTls(words: string): boolean {
  return noTls.test(words);
}

export const withoutTls: Text = { zh: "那里的服务不使用 TLS", en: "the server there does not speak TLS" };

/** Says what to do where a server at an https address does not speak TLS. */
export function toPlainAddressHint(host: string): Text {
  return {
    zh: `请把 ${host} 的地址写成 http://，而不是 https://。`,
    en: `Write http:// instead of https:// in the address of ${host}.`,
  };
}
