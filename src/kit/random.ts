import { randomUUID } from "node:crypto";

/** 32 hexadecimal digits, 122 bits of them random. UUIDs come from a store of random bytes; `randomBytes` asks the system each time. */
export function createRandomHex(): string {
  return randomUUID().replaceAll("-", "");
}
