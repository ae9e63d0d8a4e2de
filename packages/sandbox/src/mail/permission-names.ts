/**
 * Every permission of Stalwart 0.16, in the server's order. Kept in families, because six hundred
 * names follow from few words.
 */
const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const login = words(`
  authenticate authenticateWithAlias interactAi impersonate unlimitedRequests unlimitedUploads fetchAnyBlob emailSend emailReceive
  calendarAlarmsSend calendarSchedulingSend calendarSchedulingReceive
`)

const jmap: Readonly<Record<string, string>> = {
  PushSubscription: 'Get Create Update Destroy',
  Mailbox: 'Get Changes Query QueryChanges Create Update Destroy',
  Thread: 'Get Changes',
  Email: 'Get Changes Query QueryChanges Create Update Destroy Copy Import Parse',
  SearchSnippet: 'Get',
  Identity: 'Get Changes Create Update Destroy',
  EmailSubmission: 'Get Changes Query QueryChanges Create Update Destroy',
  VacationResponse: 'Get Create Update Destroy',
  SieveScript: 'Get Query Validate Create Update Destroy',
  Principal: 'Get Query Changes QueryChanges GetAvailability Create Update Destroy',
  Quota: 'Get Changes Query QueryChanges',
  Blob: 'Get Copy Lookup Upload',
  AddressBook: 'Get Changes Create Update Destroy',
  ContactCard: 'Get Changes Query QueryChanges Create Update Destroy Copy Parse',
  FileNode: 'Get Changes Query QueryChanges Create Update Destroy Copy',
  ShareNotification: 'Get Changes Query QueryChanges Create Update Destroy',
  Calendar: 'Get Changes Create Update Destroy',
  CalendarEvent: 'Get Changes Query QueryChanges Create Update Destroy Copy Parse',
  CalendarEventNotification: 'Get Changes Query QueryChanges Create Update Destroy',
  ParticipantIdentity: 'Get Changes Create Update Destroy',
  Core: 'Echo',
}

const protocols = words(`
  imapAuthenticate imapAclGet imapAclSet imapMyRights imapListRights imapAppend imapCapability imapId imapCopy imapMove imapCreate
  imapDelete imapEnable imapExpunge imapFetch imapIdle imapList imapLsub imapNamespace imapRename imapSearch imapSort imapSelect
  imapExamine imapStatus imapStore imapSubscribe imapThread pop3Authenticate pop3List pop3Uidl pop3Stat pop3Retr pop3Dele
  sieveAuthenticate sieveListScripts sieveSetActive sieveGetScript sievePutScript sieveDeleteScript sieveRenameScript
  sieveCheckScript sieveHaveSpace davSyncCollection davExpandProperty davPrincipalAcl davPrincipalList davPrincipalMatch
  davPrincipalSearch davPrincipalSearchPropSet davFilePropFind davFilePropPatch davFileGet davFileMkCol davFileDelete davFilePut
  davFileCopy davFileMove davFileLock davFileAcl davCardPropFind davCardPropPatch davCardGet davCardMkCol davCardDelete davCardPut
  davCardCopy davCardMove davCardLock davCardAcl davCardQuery davCardMultiGet davCalPropFind davCalPropPatch davCalGet davCalMkCol
  davCalDelete davCalPut davCalCopy davCalMove davCalLock davCalAcl davCalQuery davCalMultiGet davCalFreeBusyQuery
  oAuthClientRegistration oAuthClientOverride liveTracing liveMetrics liveDeliveryTest actionReloadSettings
  actionReloadTlsCertificates actionReloadLookupStores actionReloadBlockedIps actionUpdateApps actionTroubleshootDmarc
  actionClassifySpam actionInvalidateCaches actionInvalidateNegativeCaches actionPauseMtaQueue actionResumeMtaQueue
  taskIndexDocument taskUnindexDocument taskIndexTrace taskCalendarAlarmEmail taskCalendarAlarmNotification
  taskCalendarItipMessage taskMergeThreads taskDmarcReport taskTlsReport taskRestoreArchivedItem taskDestroyAccount
  taskAccountMaintenance taskTenantMaintenance taskStoreMaintenance taskSpamFilterMaintenance taskAcmeRenewal taskDkimManagement
  taskDnsManagement
`)

/** Registry objects that can be created and destroyed. */
const collections = words(`
  Account AcmeProvider Action AiModel Alert AllowedIp ApiKey AppPassword Application ArchivedItem ArfExternalReport BlockedIp
  Certificate ClusterNode ClusterRole Directory DkimSignature DmarcExternalReport DmarcInternalReport DnsServer Domain
  EventTracingLevel HttpLookup Log MailingList MaskedEmail MemoryLookupKey MemoryLookupKeyValue Metric MtaConnectionStrategy
  MtaDeliverySchedule MtaHook MtaInboundThrottle MtaMilter MtaOutboundThrottle MtaQueueQuota MtaRoute MtaTlsStrategy
  MtaVirtualQueue NetworkListener OAuthClient PublicKey QueuedMessage Role SieveSystemScript SieveUserScript SpamDnsblServer
  SpamFileExtension SpamRule SpamTag SpamTrainingSample StoreLookup Task Tenant TlsExternalReport TlsInternalReport Trace Tracer
  WebHook
`)

/** Registry objects of which there is one. */
const singletons = words(`
  AccountPassword AccountSettings AddressBook Asn Authentication BlobStore Bootstrap Cache Calendar CalendarAlarm
  CalendarScheduling Coordinator DataRetention DataStore DkimReportSettings DmarcReportSettings DnsResolver DsnReportSettings
  Email Enterprise FileStorage Http HttpForm Imap InMemoryStore Jmap Metrics MetricsStore MtaExtensions MtaInboundSession
  MtaOutboundStrategy MtaStageAuth MtaStageConnect MtaStageData MtaStageEhlo MtaStageMail MtaStageRcpt MtaSts OidcProvider
  ReportSettings Search SearchStore Security SenderAuth Sharing SieveSystemInterpreter SieveUserInterpreter SpamClassifier
  SpamDnsblSettings SpamLlm SpamPyzor SpamSettings SpfReportSettings SystemSettings TaskManager TlsReportSettings TracingStore
  WebDav
`)

const registry = [
  ...collections.map((name) => ({ name, verbs: ['Get', 'Create', 'Update', 'Destroy', 'Query'] })),
  ...singletons.map((name) => ({ name, verbs: ['Get', 'Update'] })),
].sort((one, other) => (one.name < other.name ? -1 : 1))

export const permissionNames: readonly string[] = [
  ...login,
  ...Object.entries(jmap).flatMap(([name, verbs]) =>
    words(verbs).map((verb) => `jmap${name}${verb}`),
  ),
  ...protocols,
  ...registry.flatMap(({ name, verbs }) => verbs.map((verb) => `sys${name}${verb}`)),
]

const known = new Set(permissionNames)

export function isPermission(name: string): boolean {
  return known.has(name)
}

const untold = new Set([
  // While directory queries are off for people, as they are by default. Who holds the permissions
  // may ask all the same.
  ...words('Get Query Changes QueryChanges GetAvailability').map((verb) => `jmapPrincipal${verb}`),
  // What nobody can do with objects that the server writes itself.
  ...[
    'DmarcExternalReport',
    'DmarcInternalReport',
    'TlsExternalReport',
    'TlsInternalReport',
    'ArfExternalReport',
  ].flatMap((name) => [`sys${name}Create`, `sys${name}Update`]),
  ...['ClusterNode', 'Log'].flatMap((name) => [
    `sys${name}Create`,
    `sys${name}Update`,
    `sys${name}Destroy`,
  ]),
  ...words('sysQueuedMessageCreate sysBootstrapGet sysBootstrapUpdate'),
])

/**
 * What `GET /api/account` tells of the permissions that a caller holds: less than all, by the
 * server's `handle_account_request`.
 */
export function reportedPermissions(held: ReadonlySet<string>): string[] {
  return permissionNames.filter((name) => held.has(name) && !untold.has(name))
}
