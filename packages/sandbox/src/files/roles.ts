/** The application whose roles accounts have. */
export const applicationId = '8a3c7f0e-5a51-4a3b-9a0f-5d0f1f1f7c11'

export const appRoles = {
  admin: '71881883-1768-46bd-a24d-a356a2afdf7f',
  spaceAdmin: '2aadd357-682c-406b-8874-293091995fdd',
  user: 'd7beeea8-8ff4-406b-8fb6-ab2dd81e6b11',
  userLight: '38071a68-456a-4553-846a-fa67bf5596cc',
} as const

export const appRoleNames: Readonly<Record<string, string>> = {
  [appRoles.admin]: 'Admin',
  [appRoles.spaceAdmin]: 'Space Admin',
  [appRoles.user]: 'User',
  [appRoles.userLight]: 'User Light',
}

export interface SpaceRole {
  readonly id: string
  readonly displayName: string
  readonly description: string
  readonly weight: number
  /** The word for it inside a drive under `/v1.0`. */
  readonly legacyName: 'viewer' | 'editor' | 'manager'
}

export const managerRoleId = '312c0871-5ef7-4b3a-85b6-0e4074c64049'

/** The roles that a default installation offers for spaces. */
export const spaceRoles: readonly SpaceRole[] = [
  {
    id: 'a8d5fe5e-96e3-418d-825b-534dbdf22b99',
    displayName: 'Can view',
    description: 'View and download.',
    weight: 1,
    legacyName: 'viewer',
  },
  {
    id: '58c63c02-1d89-4572-916a-870abc5a1b7d',
    displayName: 'Can edit',
    description: 'View, download, upload, edit, add, delete including the history.',
    weight: 2,
    legacyName: 'editor',
  },
  {
    id: managerRoleId,
    displayName: 'Can manage',
    description: 'View, download, upload, edit, add, delete and manage members.',
    weight: 3,
    legacyName: 'manager',
  },
]

/** Roles of files and folders: known, but not to be had on a space. */
export const itemRoles: readonly {
  readonly id: string
  readonly displayName: string
  readonly description: string
}[] = [
  {
    id: 'b1e2218d-eef8-4d4c-b82d-0f1a1b48f3b5',
    displayName: 'Can view',
    description: 'View and download.',
  },
  {
    id: 'fb6c3e19-e378-47e5-b277-9732f9de6e21',
    displayName: 'Can edit',
    description: 'View, download, upload, edit, add and delete.',
  },
  {
    id: '2d00ce52-1fc2-4dbc-8b95-a73b73395f5a',
    displayName: 'Can edit',
    description: 'View, download and edit.',
  },
  {
    id: '1c996275-f1c9-4e71-abdf-a42f6495e960',
    displayName: 'Can upload',
    description: 'View, download and upload.',
  },
]
