import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { trimRule } from './addresses.ts'
import { SetError } from './errors.ts'
import { type JsonObject, objectOf, textOf } from './json.ts'
import { utcDate } from './patch.ts'
import type { Change, MailWorld, RegistryType } from './registry-type.ts'
import { masked } from './secrets.ts'
import {
  choice,
  id,
  initialVariant,
  optional,
  type Shape,
  serverSet,
  text,
  union,
} from './shapes.ts'

const generate = promisify(generateKeyPair)

/** How many RSA keys a process makes. */
const rsaKeys = 4
const made: Promise<{ privateKey: KeyObject }>[] = []
let turn = 0

/**
 * A real key, as the server has one for each domain; from the fifth domain on it is one that
 * another domain has too. An RSA key takes as much processor time as a whole test, they guard
 * nothing here, and tests make domains by the thousand.
 */
function newKey(algorithm: 'rsa' | 'ed25519'): Promise<{ privateKey: KeyObject }> {
  if (algorithm === 'ed25519') return generate('ed25519', {})
  const place = turn++ % rsaKeys
  made[place] ??= generate('rsa', { modulusLength: 2048 })
  return made[place]
}

const trimmed: Shape = { kind: 'text', rules: [trimRule] }

const signature = {
  auid: optional(trimmed),
  canonicalization: choice(
    'DkimCanonicalization',
    ['relaxed/relaxed', 'simple/simple', 'relaxed/simple', 'simple/relaxed'],
    'relaxed/relaxed',
  ),
  expire: optional({ kind: 'integer', initial: 0 }),
  headers: { kind: 'set', initial: ['From', 'To', 'Date', 'Subject', 'Message-ID'] },
  privateKey: union({
    Text: { secret: { kind: 'secret' } },
    EnvironmentVariable: { variableName: text },
    File: { filePath: text },
  }),
  publicKey: serverSet,
  report: { kind: 'boolean', initial: true },
  thirdParty: optional(trimmed),
  thirdPartyHash: optional(choice('DkimHash', ['sha256', 'sha1'], 'sha256')),
  domainId: id,
  memberTenantId: optional(id),
  selector: trimmed,
  createdAt: serverSet,
  nextTransitionAt: optional({ kind: 'date' }),
  stage: choice('DkimRotationStage', ['active', 'pending', 'retiring', 'retired'], 'active'),
} satisfies Record<string, Shape>

const shape = union({
  Dkim1Ed25519Sha256: signature,
  Dkim1RsaSha256: signature,
  Dkim2Ed25519Sha256: signature,
  Dkim2RsaSha256: signature,
})

/** `rsa` or `ed25519`, as selectors and records name the algorithm of a signature type. */
export function keyType(signatureType: string): 'rsa' | 'ed25519' {
  return signatureType.includes('Rsa') ? 'rsa' : 'ed25519'
}

/**
 * Fills in a selector template such as `v{version}-{algorithm}-{date-%Y%m%d}`. Throws a SetError
 * for a template that cannot be filled in.
 */
export function generateSelector(
  template: string,
  algorithm: 'rsa' | 'ed25519',
  now: number,
): string {
  const reject = (description: string): never => {
    throw new SetError('invalidProperties', { properties: ['selectorTemplate'], description })
  }
  const date = new Date(now)
  const parts: Readonly<Record<string, string>> = {
    Y: String(date.getUTCFullYear()),
    m: String(date.getUTCMonth() + 1).padStart(2, '0'),
    d: String(date.getUTCDate()).padStart(2, '0'),
  }
  const selector = template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    if (name === 'version') return '1'
    if (name === 'algorithm') return algorithm
    if (name === 'epoch') return String(Math.floor(now / 1000))
    if (name.startsWith('date-'))
      return name.slice(5).replace(/%([Ymd])/g, (__, part: string) => parts[part] ?? '')
    return reject(`Unknown variable "${name}" in selector template.`)
  })
  return /^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/.test(selector)
    ? selector
    : reject('The selector template makes no valid DNS label.')
}

/**
 * Base64 of the public half: the SubjectPublicKeyInfo for RSA, the 32 raw bytes for Ed25519.
 * Undefined without a readable key.
 */
export function publicKey(record: JsonObject): string | undefined {
  const secret = textOf(objectOf(record, 'privateKey'), 'secret')
  try {
    const der = createPublicKey(createPrivateKey(secret)).export({ type: 'spki', format: 'der' })
    return (keyType(textOf(record, '@type')) === 'rsa' ? der : der.subarray(-32)).toString('base64')
  } catch {
    return undefined
  }
}

function prepare({ world, record, previous }: Change): JsonObject {
  const sent = textOf(objectOf(record, 'privateKey'), 'secret')
  const kept =
    previous && sent === masked ? { ...record, privateKey: previous.privateKey ?? null } : record
  const fail = (reason: string): never => {
    throw new SetError('invalidProperties', {
      description: `Failed to validate DKIM signature: ${reason}`,
    })
  }
  let key: KeyObject
  try {
    key = createPrivateKey(textOf(objectOf(kept, 'privateKey'), 'secret'))
  } catch {
    return fail('the private key cannot be read')
  }
  if (key.asymmetricKeyType !== keyType(textOf(kept, '@type')))
    fail('the private key is of another algorithm')
  return { ...kept, createdAt: previous?.createdAt ?? utcDate(world.now()) }
}

export const dkimSignatures: RegistryType = {
  name: 'DkimSignature',
  shape,
  filters: { domainId: 'id', memberTenantId: 'id' },
  sorts: ['domainId', 'memberTenantId'],
  indexKeys: () => [],
  foreignKeys: (record) => [
    { object: 'Domain', id: textOf(record, 'domainId') },
    ...(textOf(record, 'memberTenantId')
      ? [{ object: 'Tenant' as const, id: textOf(record, 'memberTenantId') }]
      : []),
  ],
  prepare,
  view(_world, _id, record, wants) {
    const held = objectOf(record, 'privateKey')
    const key = wants('publicKey') ? publicKey(record) : undefined
    return {
      ...record,
      privateKey: { ...held, ...('secret' in held && { secret: masked }) },
      ...(key !== undefined && { publicKey: key }),
    }
  },
}

/**
 * Creates the keys that are due: real ones, so that records and signatures can be checked against
 * each other.
 */
export async function runKeyTasks(world: MailWorld): Promise<void> {
  for (;;) {
    const task = world.store.tasks.find((one) => one.dueAt <= world.now())
    if (!task) return
    world.store.tasks = world.store.tasks.filter((one) => one !== task)
    const algorithm = keyType(task.algorithm)
    const { privateKey } = await newKey(algorithm)
    const domain = world.store.get('Domain', task.domainId)
    if (!domain) continue
    const exists = world.store
      .list('DkimSignature')
      .some(
        ([, record]) =>
          textOf(record, 'domainId') === task.domainId &&
          textOf(record, '@type') === task.algorithm,
      )
    if (exists) continue
    world.store.insert('DkimSignature', {
      ...initialVariant(shape, task.algorithm),
      domainId: task.domainId,
      selector: generateSelector(
        textOf(objectOf(domain, 'dkimManagement'), 'selectorTemplate'),
        algorithm,
        world.now(),
      ),
      privateKey: {
        '@type': 'Text',
        secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      },
      createdAt: utcDate(world.now()),
    })
  }
}
