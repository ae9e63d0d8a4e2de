/**
 * What needs a recent sign-in (docs/reference/contract.md): acts that give power, hand out or take
 * credentials, move money, or destroy for good. `always`, or the words for the calls that do.
 */
export const sensitive: Readonly<Record<string, string>> = {
  'accessGrants.approve': 'always',
  'accessGrants.breakGlass': 'always',
  'approvals.setLimit': 'always',
  'billing.createSetupIntent': 'always',
  'billing.portal': 'always',
  'billing.removePaymentMethod': 'always',
  'billing.setPaymentMethod': 'always',
  'domains.remove': 'always',
  'invitations.inviteMembers': 'when `role` is `admin` or `owner`',
  'invitations.inviteOperators': 'always',
  'invitations.inviteStaff': 'always',
  'members.changeEmail': 'always',
  'members.createAppPassword': 'always',
  'members.create': 'when `role` is `admin`',
  'members.leave': 'always',
  'members.remove': 'always',
  'members.resetPassword': 'always',
  'members.resetSecondFactors': 'always',
  'members.startImport': 'when a row makes an admin and it is no dry run',
  'members.transferOwnership': 'always',
  'members.update': 'when `role` is `admin`',
  'operatorInvoices.approve': 'always',
  'operatorInvoices.correct': 'always',
  'partnerTransfers.accept': 'always',
  'partnerTransfers.createCode': 'always',
  'partnerTransfers.leave': 'always',
  'partners.changeStaffAccess': 'always',
  'partners.inviteStaff': 'always',
  'partners.removeStaff': 'always',
  'partners.terminate': 'always',
  'partners.update': 'when it has `marginPct`',
  'payouts.adjust': 'always',
  'payouts.approve': 'always',
  'payouts.approveAdjustment': 'always',
  'payouts.pay': 'always',
  'payouts.void': 'always',
  'scheduling.hosts.connect': 'always',
  'securityPolicy.update': 'always',
  'serviceTokens.create': 'always',
  'serviceTokens.createOfPartner': 'always',
  'serviceTokens.createOfPlatform': 'always',
  'serviceTokens.rotate': 'always',
  'serviceTokens.rotateOfPartner': 'always',
  'serviceTokens.rotateOfPlatform': 'always',
  'sso.create': 'always',
  'sso.remove': 'always',
  'tenants.delete': 'always',
  'tenants.purge': 'always',
  'tenants.update': 'when it has `domains` or `partnerId`',
  'users.deactivate': 'always',
  'users.delete': 'always',
  'users.invite': 'always',
  'users.reactivate': 'always',
  'users.update': 'when it has `platformAdmin`, `partnerId`, `partnerAccess`',
  'webhookEndpoints.create': 'always',
  'webhookEndpoints.createOfPartner': 'always',
  'webhookEndpoints.createOfPlatform': 'always',
  'webhookEndpoints.rotate': 'always',
  'webhookEndpoints.rotateOfPartner': 'always',
  'webhookEndpoints.rotateOfPlatform': 'always',
}

/**
 * What changes something, or answers a secret, and does not. A procedure that is new has to be put
 * into one of the two.
 */
export const decided: readonly string[] = [
  // Mails that can be switched off say nothing that protects the account.
  'account.updateNotification',
  'account.unsubscribe',
  // Ending one's own sessions must never wait.
  ...['account.endOtherSessions', 'account.endSession', 'account.endSignIn'],
  // Addresses, lists and texts: seen in the audit log, and taken back as easily.
  ...[
    'aliases.add',
    'aliases.remove',
    'lists.create',
    'lists.remove',
    'lists.retry',
    'lists.update',
  ],
  ...[
    'members.addAlias',
    'members.removeAlias',
    'branding.preview',
    'securityPolicy.preview',
    'branding.update',
    'billingInfo.update',
    'documents.setPartnerAddress',
    'operatorInvoices.reject',
    'documents.setTenantAddress',
  ],
  ...['domains.add', 'domains.makePrimary', 'domains.recheck', 'domains.setDmarc'],
  // What people do all day; a password that comes out opens what was made with it and nothing that
  // was there.
  ...[
    'members.createMailbox',
    'members.remindOfSecondFactors',
    'members.resumeImport',
    'members.retry',
    'tenants.create',
    'tenants.reconcile',
    'users.create',
  ],
  // Taking access away must never wait.
  ...[
    'members.forceLogout',
    'members.removeAppPassword',
    'members.resume',
    'members.suspend',
    'tenants.restore',
    'tenants.resume',
    'tenants.suspend',
  ],
  ...['', 'OfPartner', 'OfPlatform'].flatMap((owner) =>
    ['remove', 'replay', 'test', 'update'].map((act) => `webhookEndpoints.${act}${owner}`),
  ),
  ...['serviceTokens.revoke', 'serviceTokens.revokeOfPartner', 'serviceTokens.revokeOfPlatform'],
  // Counts of a day or of what there may be: seen in the audit log, and set back as easily.
  'tenants.setLimits',
  ...['partners.resumeCustomer', 'partners.suspendCustomer', 'scheduling.hosts.disconnect'],
  ...[
    'flags.create',
    'flags.remove',
    'flags.update',
    'outbox.retry',
    'webhooks.replay',
    'webhooks.replayParked',
  ],
  ...[
    'partners.create',
    'partners.deleteSavedReport',
    'partners.saveReport',
    'partners.updateBranding',
    'partners.updateCustomer',
  ],
  'partners.updateSettings',
  // Notes about a payout, and requests that somebody else decides on.
  ...[
    'payouts.consent',
    'payouts.fail',
    'payouts.hold',
    'payouts.refuseAdjustment',
    'payouts.reopen',
    'payouts.request',
    'payouts.send',
  ],
  // The price list, and what a tenant buys with its own card for itself.
  ...[
    'prices.activate',
    'prices.archive',
    'prices.create',
    'prices.remove',
    'prices.update',
    'priceMigrations.keep',
    'priceMigrations.start',
    'priceMigrations.stop',
    'priceMigrations.stopSubscriber',
    'billing.payInvoice',
  ],
  ...[
    'subscriptions.cancel',
    'subscriptions.change',
    'subscriptions.create',
    'subscriptions.discardPending',
    'subscriptions.keep',
  ],
  ...['subscriptions.remove', 'subscriptions.start', 'subscriptions.update'],
  // One order of the partner at a time, at the price shown; a limit is a standing permission.
  ...['approvals.approve', 'approvals.decline', 'approvals.removeLimit'],
  // Takes a permission back; a preview changes nothing.
  ...['partnerTransfers.preview', 'partnerTransfers.revokeCode'],
  // Asking gives nothing; the others take access away or only note something.
  ...['accessGrants.ask', 'accessGrants.decline', 'accessGrants.end', 'accessGrants.acknowledge'],
  // Whoever follows a mailed link has no session; the token of the link is the proof.
  ...[
    'invitations.accept',
    'invitations.open',
    'invitations.decline',
    'invitations.acceptMine',
    'invitations.declineMine',
  ],
  // The terms stay as they were decided.
  ...['invitations.resend', 'invitations.resendOfPartner', 'invitations.resendOfTenant'],
  ...['invitations.revoke', 'invitations.revokeOfPartner', 'invitations.revokeOfTenant'],
  'addressClaims.move',
  // A claim has no effect for days, and the person gets notice; an own address is confirmed by
  // mail.
  ...['addressClaims.start', 'addressClaims.withdraw'],
  ...['addressClaims.change', 'addressClaims.confirm'],
  // Calendars; visitors have no sign-in.
  ...[
    'scheduling.book.create',
    'scheduling.book.forTenant',
    'scheduling.bookings.cancel',
    'scheduling.bookings.confirm',
  ],
  ...[
    'scheduling.bookings.decline',
    'scheduling.bookings.newLink',
    'scheduling.bookings.noShow',
    'scheduling.bookings.reschedule',
  ],
  ...[
    'scheduling.eventTypes.create',
    'scheduling.eventTypes.preview',
    'scheduling.eventTypes.remove',
    'scheduling.eventTypes.update',
  ],
  ...[
    'scheduling.hosts.check',
    'scheduling.hosts.create',
    'scheduling.hosts.remove',
    'scheduling.hosts.update',
  ],
  ...[
    'scheduling.hosts.updatePage',
    'scheduling.locks.release',
    'scheduling.locks.renew',
    'scheduling.locks.take',
  ],
  ...[
    'scheduling.manage.cancel',
    'scheduling.manage.inviteGuests',
    'scheduling.manage.reschedule',
    'scheduling.manage.sendLink',
  ],
  ...['scheduling.schedules.create', 'scheduling.schedules.remove', 'scheduling.schedules.replace'],
]
