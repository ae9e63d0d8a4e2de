/**
 * The name of the newest migration: what this version of the service needs to find in its database.
 * Apart from the migrations themselves, which the service never runs and should not have to load.
 */
export const newestMigration = '0262-events-by-select'
