import { expect, test } from "vitest";
import { classifyAddress } from "../../../src/kit/net/address-kind.ts";
import { checkAddress, type Reach } from "../../../src/kit/net/check-address.ts";
import { refusedError } from "../../../src/kit/net/request-errors.ts";

const publicOnly: Reach = {
  permits: (_host, address) => classifyAddress(address) === "public",
  refusal: ({ shown }, address, kind) => refusedError(shown, { zh: kind, en: `${address} is ${kind}` }),
};
const never = new AbortController().signal;

function judgeHost(host: string, ...addresses: string[]): Promise<string[]> {
  const asked = { host, port: 443, shown: `${host}:443` };
  return checkAddress(asked, { ...publicOnly, lookup: async () => addresses }, never);
}

test("of the addresses of a name only those that are permitted are dialled", async () => {
  expect(await judgeHost("a.test", "10.0.0.1", "93.184.216.34", "127.0.0.1")).toEqual(["93.184.216.34"]);
  await expect(judgeHost("a.test", "10.0.0.1", "127.0.0.1")).rejects.toThrow("10.0.0.1 is private");
});

test.each(["2606:2800::1%eth0", "a.test", "", "93.184.216.34.evil"])(
  "%j, which a lookup gives, is no address to dial, whatever the rules permit",
  async (address) => {
    const rules = { ...publicOnly, permits: () => true, lookup: async () => [address] };
    await expect(checkAddress({ host: "a.test", port: 443, shown: "a.test:443" }, rules, never)).rejects.toThrow(
      "was not contacted",
    );
  },
);

test("a literal is judged as it is, without a lookup", async () => {
  await expect(judgeHost("169.254.169.254", "93.184.216.34")).rejects.toThrow("169.254.169.254 is metadata");
});

test.each(["localhost", "a.localhost"])("%s is this machine, whatever a lookup says", async (host) => {
  await expect(judgeHost(host, "93.184.216.34")).rejects.toThrow("127.0.0.1 is loopback");
});
