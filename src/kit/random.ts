import { randomUUID } from "node:crypto";

/**
 * Returns 32 hexadecimal digits, 122 bits of them random. It uses UUIDs because Node caches their random bytes, while
 * `randomBytes` asks the system each time.
 */
export function createRandomHex(): string {
  return randomUUID().replaceAll("-", "");
}
