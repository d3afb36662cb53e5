import { expect, test } from "vitest";
import { describeConnectionFailure } from "../../../src/kit/net/request-errors.ts";

test.each([
  ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "tlsv1 alert protocol version", "the TLS handshake failed (CODE)"],
  ["EPROTO", "write EPROTO ... wrong version number", "the server there does not speak TLS"],
])("a handshake that fails with %s is told by what its words say", (code, message, expected) => {
  const { en } = describeConnectionFailure(Object.assign(new Error(message), { code }));
  expect(en).toBe(expected.replace("CODE", code));
});
