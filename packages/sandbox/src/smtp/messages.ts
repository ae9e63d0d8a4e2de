import PostalMime, { type Address as MailAddress } from 'postal-mime'
import { z } from 'zod'

const Address = z.object({ name: z.string(), address: z.string() })

const Message = z.object({
  id: z.string(),
  /** ISO 8601. */
  receivedAt: z.string(),
  envelope: z.object({ from: z.string(), to: z.array(z.string()) }),
  /** The name that the client signed in with, if it did. */
  user: z.string().optional(),
  /** Bytes. */
  size: z.number(),
  subject: z.string(),
  from: Address.optional(),
  to: z.array(Address),
  cc: z.array(Address),
  messageId: z.string().optional(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  text: z.string().optional(),
  html: z.string().optional(),
  attachments: z.array(
    z.object({
      filename: z.string(),
      mimeType: z.string(),
      size: z.number(),
      contentId: z.string().optional(),
      inline: z.boolean(),
    }),
  ),
})
/** A message that was caught, as `GET /messages/<id>` shows it. */
export type Message = z.infer<typeof Message>

const Kept = z.object({
  message: Message,
  /** Base64 of the message as it came. */ raw: z.string(),
})
const Saved = z.object({ count: z.int(), kept: z.array(Kept) })

export interface Arrival {
  readonly envelope: Message['envelope']
  readonly user: string | undefined
  readonly raw: Buffer
  /** Milliseconds since 1970. */
  readonly at: number
}

/** The caught mail, bounded: the oldest goes when a new one comes in. */
export interface Messages {
  add(arrival: Arrival): Promise<Message>
  /** Newest first. */
  list(): readonly Message[]
  find(id: string): Message | undefined
  /** The message as it came over the wire. */
  raw(id: string): Buffer | undefined
  /** The bytes of an attachment, by its place in the message. */
  attachment(id: string, index: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  clear(): void
  save(): unknown
  load(saved: unknown): void
}

export function createMessages(limit = 200): Messages {
  let kept: z.infer<typeof Kept>[] = []
  let count = 0
  const find = (id: string) => kept.find(({ message }) => message.id === id)
  return {
    async add(arrival) {
      const parsed = await parse(arrival)
      count += 1
      const message = { ...parsed, id: String(count) }
      kept.push({ message, raw: arrival.raw.toString('base64') })
      if (kept.length > limit) kept = kept.slice(-limit)
      return message
    },
    list: () => kept.map(({ message }) => message).reverse(),
    find: (id) => find(id)?.message,
    raw(id) {
      const found = find(id)
      return found && Buffer.from(found.raw, 'base64')
    },
    async attachment(id, index) {
      const found = find(id)
      if (!found) return undefined
      const { attachments } = await PostalMime.parse(Buffer.from(found.raw, 'base64'))
      const content = attachments[index]?.content
      return content === undefined ? undefined : bytes(content)
    },
    clear() {
      kept = []
    },
    save: () => ({ count, kept }),
    load(saved) {
      const parsed = Saved.parse(saved)
      kept = parsed.kept
      count = parsed.count
    },
  }
}

async function parse({ envelope, user, raw, at }: Arrival): Promise<Omit<Message, 'id'>> {
  const email = await PostalMime.parse(raw)
  const from = addressesOf(email.from ? [email.from] : [])[0]
  return {
    receivedAt: new Date(at).toISOString(),
    envelope,
    ...(user !== undefined && { user }),
    size: raw.length,
    subject: email.subject ?? '',
    ...(from && { from }),
    to: addressesOf(email.to ?? []),
    cc: addressesOf(email.cc ?? []),
    ...(email.messageId !== undefined && { messageId: email.messageId }),
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    ...(email.text !== undefined && { text: email.text }),
    ...(email.html !== undefined && { html: email.html }),
    attachments: email.attachments.map((attachment, index) => ({
      filename: attachment.filename ?? `attachment-${index + 1}`,
      mimeType: attachment.mimeType,
      size: bytes(attachment.content).length,
      ...(attachment.contentId !== undefined && {
        contentId: attachment.contentId.replace(/^<|>$/g, ''),
      }),
      inline: attachment.disposition === 'inline' || attachment.related === true,
    })),
  }
}

function addressesOf(list: readonly MailAddress[]): z.infer<typeof Address>[] {
  return list.flatMap((one) =>
    one.group ? addressesOf(one.group) : [{ name: one.name ?? '', address: one.address ?? '' }],
  )
}

function bytes(content: ArrayBuffer | Uint8Array | string): Uint8Array<ArrayBuffer> {
  return typeof content === 'string'
    ? Uint8Array.from(Buffer.from(content))
    : Uint8Array.from(new Uint8Array(content))
}
