import { addressForeignKeys, addressKeys, addressOf, aliasList, entriesOf } from './accounts.ts'
import { localPartRule } from './addresses.ts'
import { membersOf, objectOf, textOf } from './json.ts'
import type { RegistryType } from './registry-type.ts'
import { id, object, optional, serverSet, text } from './shapes.ts'

/** Mailing lists. Recipients are kept as sent: the server neither checks nor lower-cases them. */
export const mailingLists: RegistryType = {
  name: 'MailingList',
  shape: object({
    name: { kind: 'text', rules: [localPartRule] },
    domainId: id,
    emailAddress: serverSet,
    description: optional(text),
    aliases: aliasList,
    memberTenantId: optional(id),
    recipients: { kind: 'set' },
  }),
  filters: { memberTenantId: 'id' },
  sorts: ['memberTenantId'],
  words: (record) => [
    textOf(record, 'name'),
    textOf(record, 'description'),
    ...membersOf(record.recipients),
    ...entriesOf(objectOf(record, 'aliases')).map((alias) => textOf(alias, 'name')),
  ],
  indexKeys: addressKeys,
  foreignKeys: addressForeignKeys,
  prepare: ({ record }) => record,
  view: (world, _id, record) => ({ ...record, emailAddress: addressOf(world, record) }),
}
