import { z } from 'zod'

const domainName = z
  .string()
  .trim()
  .toLowerCase()
  .max(200)
  .regex(
    /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/,
    'is no domain name, such as example.org',
  )
const email = z.email('is no e-mail address').trim().toLowerCase()
const secret = z.string().regex(/^[\w./+=-]{8,200}$/, 'is no key of a storage')

const folder = z
  .string()
  .regex(/^\/[\w./-]*$/, 'is no absolute path of letters, digits, . _ - and /')

const Backups = z.discriminatedUnion('to', [
  z.strictObject({ to: z.literal('folder'), folder }),
  z.strictObject({
    to: z.literal('s3'),
    /** Host name of the storage, without `https://`. */
    endpoint: domainName,
    region: z.string().regex(/^[\w-]{1,50}$/, 'is no name of a region'),
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is no name of a bucket'),
    accessKeyId: secret,
    secretAccessKey: secret,
  }),
])

/** What a person says about the installation. Everything else follows from it. */
export const Answers = z.strictObject({
  /** The names of all parts lie below it. */
  domain: domainName,
  operator: z.strictObject({ email, name: z.string().trim().min(1, 'is empty').max(200) }),
  /** Let's Encrypt writes there when a certificate is about to expire. */
  certificateEmail: email.optional(),
  /** Where the world reaches the server; its own public address by default. */
  addresses: z.strictObject({ ipv4: z.ipv4().optional(), ipv6: z.ipv6().optional() }).optional(),
  backups: Backups.default({ to: 'folder', folder: '/var/backups/atrium' }),
  /** Parts that are off by default. */
  profiles: z.array(z.enum(['metrics', 'pooler'])).default(['metrics']),
})
export type Answers = z.infer<typeof Answers>

/** The answers cannot be used; one line per fault. */
export class AnswersError extends Error {
  constructor(faults: readonly string[]) {
    super(`The answers are not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`)
    this.name = 'AnswersError'
  }
}

/** Throws AnswersError with every fault at once. */
export function readAnswers(value: unknown): Answers {
  const parsed = Answers.safeParse(value)
  if (parsed.success) return parsed.data
  throw new AnswersError(
    parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`),
  )
}

export type Question = (text: string, preset?: string) => Promise<string>

/** Asks a person for what is needed, and again for what cannot be used. */
export async function askAnswers(question: Question): Promise<Answers> {
  const ask = async <S extends z.ZodType>(text: string, shape: S, preset?: string) => {
    for (let hint = ''; ; ) {
      const parsed = shape.safeParse(await question(`${hint}${text}`, preset))
      if (parsed.success) return parsed.data as z.output<S>
      hint = `This ${parsed.error.issues[0]?.message ?? 'cannot be used'}.\n`
    }
  }
  const domain = await ask('Domain, below which all names lie', domainName)
  const name = await ask('Name of the first operator', Answers.shape.operator.shape.name)
  const address = await ask('E-mail address of the first operator', email)
  const backupFolder = await ask(
    'Folder for the encrypted backups; best a disk of another machine',
    folder,
    '/var/backups/atrium',
  )
  return readAnswers({
    domain,
    operator: { email: address, name },
    backups: { to: 'folder', folder: backupFolder },
  })
}
