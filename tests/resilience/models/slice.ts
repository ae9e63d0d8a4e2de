import fc from 'fast-check'

/** A vertical slice of the product, with a second, simple account of what it has to do. */
export interface Slice<Model, Real, Act> {
  readonly name: string
  readonly acts: fc.Arbitrary<Act>
  /** A part of the workplace that no other run sees. */
  setup(): Promise<{ model: Model; real: Real }>
  /** Carries the act out on the model; returns what the service has to say to it. */
  expected(model: Model, act: Act): string
  /** The same through the REST API: `ok`, or the code of the rejection. */
  carryOut(real: Real, act: Act, model: Readonly<Model>): Promise<string>
  /** The state of the model and of the service, in one form. */
  compare(model: Model, real: Real): Promise<{ modelled: unknown; found: unknown }>
}

/** What a run of many sequences came to. */
export interface Trial {
  sequences: number
  commands: number
  /** Responses by their outcome, to show that the sequences reached more than rejections. */
  answers: ReadonlyMap<string, number>
  seed: number
  /** The shortest sequence that differs, with how to repeat it; undefined when there is none. */
  difference: string | undefined
}

interface Extent {
  /** Sequences of acts. */
  runs: number
  /** Acts per sequence, on average. */
  length: number
  /** No further sequence is begun after so long. */
  timeLimitMs: number
}

/**
 * Tries sequences of acts, and shortens one that differs. Each has a part of the workplace of its
 * own.
 */
export async function tryOut<Model extends object, Real extends object, Act>(
  slice: Slice<Model, Real, Act>,
  { runs, length, timeLimitMs }: Extent,
): Promise<Trial> {
  let commands = 0
  const answers = new Map<string, number>()
  class Command implements fc.AsyncCommand<Model, Real> {
    readonly act: Act
    constructor(act: Act) {
      this.act = act
    }
    check(): boolean {
      return true
    }
    async run(model: Model, real: Real): Promise<void> {
      // The service is asked with the names that the model has before the act.
      const said = await slice.carryOut(real, this.act, model)
      const expected = slice.expected(model, this.act)
      commands++
      answers.set(expected, (answers.get(expected) ?? 0) + 1)
      if (said !== expected)
        throw new Error(
          `${this.toString()} answered ${said} instead of ${expected}\n${JSON.stringify(model)}`,
        )
      const { modelled, found } = await slice.compare(model, real)
      if (JSON.stringify(modelled) === JSON.stringify(found)) return
      throw new Error(
        `after ${this.toString()} there is ${JSON.stringify(found)} instead of ${JSON.stringify(modelled)}`,
      )
    }
    toString(): string {
      return JSON.stringify(this.act)
    }
  }
  const sequences = fc.commands([slice.acts.map((act) => new Command(act))], {
    maxCommands: 2 * length,
    size: 'max',
  })
  const until = performance.now() + timeLimitMs
  let started = 0
  const details = await fc.check(
    fc.asyncProperty(sequences, async (sequence) => {
      if (started > 0 && performance.now() > until) return
      started++
      const { model, real } = await slice.setup()
      await fc.asyncModelRun(() => ({ model, real }), sequence)
    }),
    { numRuns: runs },
  )
  const why =
    details.errorInstance instanceof Error
      ? details.errorInstance.message
      : String(details.errorInstance)
  const difference = details.failed ? `${why}\n${fc.defaultReportMessage(details)}` : undefined
  return { sequences: started, commands, answers, seed: details.seed, difference }
}
