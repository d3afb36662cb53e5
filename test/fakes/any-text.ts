import fc from "fast-check";

/** Any text at all, lone surrogates too. fast-check's own `unit: "binary"` does the like, and takes a second to be made. */
export function anyText(constraints: Pick<fc.StringConstraints, "minLength" | "maxLength"> = {}): fc.Arbitrary<string> {
  const unit = fc.oneof(fc.nat(0xff), fc.nat(0x10_ffff)).map((point) => String.fromCodePoint(point));
  return fc.string({ ...constraints, unit });
}
