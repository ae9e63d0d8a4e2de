import type { GrantScope } from '@atrium/core/access-grants/scopes'

const scheduling = (area: string, ...names: string[]) =>
  names.map((name) => `scheduling.${area}.${name}`)

/**
 * The procedures that an access grant of a scope opens, by docs/reference/contract.md. `any`: those
 * that every grant opens. All others about a tenant are never opened.
 */
export const delegable: Readonly<Record<GrantScope | 'any', readonly string[]>> = {
  any: ['partners.support', 'tenants.events'],
  members: [
    'invitations.inviteMembers',
    'invitations.ofTenant',
    'invitations.resendOfTenant',
    'invitations.revokeOfTenant',
    'members.addAlias',
    'members.changeEmail',
    'members.create',
    'members.createMailbox',
    'members.forceLogout',
    'members.get',
    'members.getImport',
    'members.listAliases',
    'members.remove',
    'members.removeAlias',
    'members.resetPassword',
    'members.resume',
    'members.resumeImport',
    'members.retry',
    'members.startImport',
    'members.suspend',
    'members.update',
    'mfa.status',
    'storage.get',
    'tenants.users',
  ],
  mail: [
    'aliases.add',
    'aliases.list',
    'aliases.remove',
    'domains.add',
    'domains.get',
    'domains.history',
    'domains.list',
    'domains.makePrimary',
    'domains.recheck',
    'domains.remove',
    'domains.setDmarc',
    'lists.create',
    'lists.get',
    'lists.list',
    'lists.remove',
    'lists.retry',
    'lists.update',
    'tenants.users',
  ],
  sso: ['sso.create', 'sso.list', 'sso.remove'],
  scheduling: [
    ...scheduling('book', 'forTenant'),
    ...scheduling(
      'bookings',
      ...[
        'cancel',
        'confirm',
        'decline',
        'get',
        'list',
        'newLink',
        'noShow',
        'reschedule',
        'slots',
      ],
    ),
    ...scheduling('eventTypes', 'create', 'get', 'list', 'preview', 'remove', 'update'),
    ...scheduling(
      'hosts',
      ...['check', 'connect', 'create', 'disconnect', 'freeBusy', 'get', 'list', 'page', 'remove'],
      ...['update', 'updatePage'],
    ),
    ...scheduling('schedules', 'create', 'get', 'list', 'remove', 'replace'),
    ...scheduling('slots', 'explain'),
    'tenants.users',
  ],
  branding: ['branding.get', 'branding.preview', 'branding.update'],
  security: [
    'mfa.status',
    'securityPolicy.get',
    'securityPolicy.preview',
    'securityPolicy.update',
    'tenants.audit',
  ],
}
