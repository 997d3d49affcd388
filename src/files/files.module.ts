import { Logger, Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AudioModule } from '../audio/audio.module.js';
import { Config } from '../config/config.js';
import { Encryption } from '../encryption/encryption.js';
import { EventLogModule } from '../event-log/event-log.module.js';
import { GuardrailsModule } from '../guardrails/guardrails.module.js';
import { findExposure } from '../kernel/disk/private-folder.js';
import { StreamsModule } from '../streams/streams.module.js';
import { QuotasModule } from '../quotas/quotas.module.js';
import { ToolsModule } from '../tools/tools.module.js';
import { WorkspaceModule } from '../workspace/workspace.module.js';
import { AttachedFiles } from './attached/attached-files.js';
import { FileUrls } from './download/file-urls.js';
import { withKeys } from './encrypted/encrypted-file-store.js';
import { FileCatalog } from './file-catalog.js';
import { FileContents } from './file-contents.js';
import { FilePurge } from './file-purge.js';
import { FileStore } from './file-store.js';
import { FileStoreReports } from './file-store-reports.js';
import { reported } from './reported.js';
import { openFileStore } from './open-file-store.js';
import { FilesController } from './files.controller.js';
import { FileIntake } from './file-intake.js';
import { FilesService } from './files.service.js';
import { ChatFiles } from './tools/chat-files.js';
import { FileImportTool } from './tools/file-import.tool.js';
import { FileListTool } from './tools/file-list.tool.js';
import { FileReadTool } from './tools/file-read.tool.js';
import { UploadLimit } from './upload/upload-limit.js';
import { UploadService } from './upload.service.js';
import { FileDeleteTool } from './tools/file-delete.tool.js';
import { FileSaveTool } from './tools/file-save.tool.js';

@Module({
  imports: [
    AccessModule,
    AudioModule,
    EventLogModule,
    GuardrailsModule,
    StreamsModule,
    QuotasModule,
    ToolsModule,
    WorkspaceModule,
  ],
  controllers: [FilesController],
  providers: [
    FileIntake,
    FilesService,
    FileContents,
    FileStoreReports,
    FilePurge,
    UploadLimit,
    UploadService,
    FileUrls,
    ChatFiles,
    AttachedFiles,
    FileListTool,
    FileReadTool,
    FileDeleteTool,
    FileSaveTool,
    FileImportTool,
    {
      provide: FileStore,
      inject: [Config, Encryption, FileStoreReports, FileCatalog],
      useFactory: openBytes,
    },
  ],
  exports: [FileIntake, FilePurge, FilesService, AttachedFiles],
})
export class FilesModule {}

async function openBytes(
  config: Config,
  { keys }: Encryption,
  reports: FileStoreReports,
  catalog: FileCatalog,
): Promise<FileStore> {
  const store = reported(await openFileStore(config, catalog), reports);
  const exposure =
    config.fileStore === 'local' && (await findExposure('FILES_DIR', config.filesDir));
  if (exposure) new Logger('Files').warn(exposure);
  return withKeys(store, keys);
}
