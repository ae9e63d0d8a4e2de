import type { CallOptions } from '../src/call-options.ts'
import type { MailServer } from '../src/mail/port.ts'

/** Stands in every password that the calls below set; must never come out in an error. */
export const passwordCanary = 'PASSWORD-canary-41d7'

export interface MailIds {
  accountId: string
  domainId: string
  listId: string
}

export interface MailMethod {
  name: keyof MailServer
  /** False for what a second run would do twice. */
  repeatable: boolean
  /** Everything that it asks the server when each thing is there, as the names of its calls. */
  asks: readonly string[]
  run: (mail: MailServer, ids: MailIds, options?: CallOptions) => Promise<unknown>
}

const at = (localPart: string, domainId: string) => ({ localPart, domainId })

/** Every method of the port, called as the platform calls it. */
export const mailMethods: readonly MailMethod[] = [
  {
    name: 'check',
    repeatable: true,
    asks: ['/api/account'],
    run: (mail, _, options) => mail.check(options),
  },
  {
    name: 'tryRights',
    repeatable: false,
    asks: ['x:Domain/set', 'x:Account/set', 'x:MailingList/set'],
    run: (mail, _, options) => mail.tryRights(options),
  },
  {
    name: 'ensureDomain',
    repeatable: true,
    asks: ['x:Domain/query', 'x:Domain/set'],
    run: (mail, _, options) =>
      mail.ensureDomain({ name: 'fresh.test', description: 'tenant fresh' }, options),
  },
  {
    name: 'renameDomain',
    repeatable: true,
    asks: ['x:Domain/set'],
    run: (mail, { domainId }, options) =>
      mail.renameDomain({ domainId, name: 'renamed.test' }, options),
  },
  {
    name: 'findDomain',
    repeatable: true,
    asks: ['x:Domain/query'],
    run: (mail, _, options) => mail.findDomain('acme.test', options),
  },
  {
    name: 'domainRecords',
    repeatable: true,
    asks: ['x:DkimSignature/query', 'x:Domain/get'],
    run: (mail, { domainId }, options) => mail.domainRecords(domainId, options),
  },
  {
    name: 'setReportAddress',
    repeatable: true,
    asks: ['x:Domain/set'],
    run: (mail, { domainId }, options) =>
      mail.setReportAddress({ domainId, address: 'mailto:dmarc@acme.test' }, options),
  },
  {
    name: 'domainUse',
    repeatable: true,
    asks: [
      'x:Domain/get',
      'x:Account/query',
      'x:Account/get',
      'x:MailingList/query',
      'x:MailingList/get',
    ],
    run: (mail, { domainId }, options) => mail.domainUse(domainId, options),
  },
  {
    name: 'removeDomain',
    repeatable: true,
    asks: ['x:Domain/set'],
    run: (mail, { domainId }, options) => mail.removeDomain(domainId, options),
  },
  {
    name: 'createAccount',
    repeatable: false,
    asks: ['x:Account/set'],
    run: (mail, { domainId }, options) =>
      mail.createAccount(
        { ...at('new', domainId), displayName: 'New', password: passwordCanary },
        options,
      ),
  },
  {
    name: 'findAccount',
    repeatable: true,
    asks: ['/jmap/session', 'Principal/query', 'x:Account/get'],
    run: (mail, _, options) => mail.findAccount('anna@acme.test', options),
  },
  {
    name: 'readAccount',
    repeatable: true,
    asks: ['x:Account/get'],
    run: (mail, { accountId }, options) => mail.readAccount(accountId, options),
  },
  {
    name: 'renameAccount',
    repeatable: true,
    asks: ['x:Account/get', 'x:Account/set'],
    run: (mail, { accountId, domainId }, options) =>
      mail.renameAccount({ id: accountId, to: at('anna.berg', domainId), keepOld: true }, options),
  },
  {
    name: 'setDisplayName',
    repeatable: true,
    asks: ['x:Account/set'],
    run: (mail, { accountId }, options) =>
      mail.setDisplayName({ id: accountId, displayName: 'Anna' }, options),
  },
  {
    name: 'setAccountPassword',
    repeatable: true,
    asks: ['x:Account/get', 'x:Account/set'],
    run: (mail, { accountId }, options) =>
      mail.setAccountPassword({ id: accountId, password: passwordCanary }, options),
  },
  {
    name: 'freezeAccount',
    repeatable: true,
    asks: ['x:Account/get', 'x:Account/set'],
    run: (mail, { accountId }, options) => mail.freezeAccount(accountId, options),
  },
  {
    name: 'muteAccount',
    repeatable: true,
    asks: ['x:Account/set'],
    run: (mail, { accountId }, options) => mail.muteAccount({ id: accountId }, options),
  },
  {
    name: 'thawAccount',
    repeatable: true,
    asks: ['x:Account/set'],
    run: (mail, { accountId }, options) => mail.thawAccount({ id: accountId }, options),
  },
  {
    name: 'removeAccount',
    repeatable: true,
    asks: ['x:Account/set'],
    run: (mail, { accountId }, options) => mail.removeAccount(accountId, options),
  },
  {
    name: 'createAppPassword',
    repeatable: false,
    asks: ['x:AppPassword/set'],
    run: (mail, { accountId }, options) =>
      mail.createAppPassword({ accountId, description: 'Scheduling' }, options),
  },
  {
    name: 'listAppPasswords',
    repeatable: true,
    asks: ['x:AppPassword/get'],
    run: (mail, { accountId }, options) => mail.listAppPasswords({ accountId }, options),
  },
  {
    name: 'removeAppPassword',
    repeatable: true,
    asks: ['x:AppPassword/set'],
    run: (mail, { accountId }, options) => mail.removeAppPassword({ accountId, id: 'b' }, options),
  },
  {
    name: 'addAlias',
    repeatable: true,
    asks: ['x:Account/get', 'x:Account/set'],
    run: (mail, { accountId, domainId }, options) =>
      mail.addAlias({ accountId, ...at('sales', domainId) }, options),
  },
  {
    name: 'removeAlias',
    repeatable: true,
    asks: ['x:Account/get', 'x:Account/set'],
    run: (mail, { accountId, domainId }, options) =>
      mail.removeAlias({ accountId, ...at('office', domainId) }, options),
  },
  {
    name: 'aliasesOn',
    repeatable: true,
    asks: ['x:Domain/get', 'x:Account/query', 'x:Account/get'],
    run: (mail, { domainId }, options) => mail.aliasesOn([domainId], options),
  },
  {
    name: 'createList',
    repeatable: false,
    asks: ['x:MailingList/set'],
    run: (mail, { domainId }, options) =>
      mail.createList(
        { ...at('all', domainId), name: 'Everybody', recipients: ['anna@acme.test'] },
        options,
      ),
  },
  {
    name: 'readList',
    repeatable: true,
    asks: ['x:MailingList/get'],
    run: (mail, { listId }, options) => mail.readList(listId, options),
  },
  {
    name: 'listsOn',
    repeatable: true,
    asks: ['x:MailingList/query', 'x:MailingList/get'],
    run: (mail, { domainId }, options) => mail.listsOn([domainId], options),
  },
  {
    name: 'updateList',
    repeatable: true,
    asks: ['x:MailingList/set'],
    run: (mail, { listId }, options) =>
      mail.updateList({ id: listId, recipients: ['ben@acme.test'] }, options),
  },
  {
    name: 'removeList',
    repeatable: true,
    asks: ['x:MailingList/set'],
    run: (mail, { listId }, options) => mail.removeList(listId, options),
  },
]
