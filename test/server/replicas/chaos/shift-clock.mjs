// Shifts the clock of one process by CHAOS_CLOCK_MS milliseconds: `node --import ./shift-clock.mjs PROGRAM`. What counts time without a
// date (timers, performance.now) stays as it is.
const shift = Number(process.env.CHAOS_CLOCK_MS ?? 0);
const RealDate = Date;
const now = () => RealDate.now() + shift;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
  apply: () => new RealDate(now()).toString(),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
