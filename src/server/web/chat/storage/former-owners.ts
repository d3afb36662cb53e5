/** Lists the names under which versions before this one kept what this page's owner wrote: by the account, or by a number of the token. */
export function listFormerOwners(account: string | undefined, token: string | undefined): readonly string[] {
  if (account !== undefined) return [`person ${account}`];
  if (token === undefined) return [];
  const number = [...token].reduce(
    (sum, letter) => Math.imul(sum ^ (letter.codePointAt(0) ?? 0), 16_777_619),
    2_166_136_261,
  );
  return [`token ${number >>> 0}`];
}
