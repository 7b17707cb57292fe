import { definePlugin, type Plugin } from '@longshore/plugin';
import { Encoders } from './encoder.ts';
import { imagesConvert } from './images-convert.ts';
import { imagesInfo } from './images-info.ts';
import { imagesResize } from './images-resize.ts';
import { imagesThumbnail } from './images-thumbnail.ts';
import { CONCURRENT_ENCODERS } from './limits.ts';

/** Tools that describe, resize and convert images in the directories the operator allows. */
export const plugin: Plugin = definePlugin({
  name: '@longshore/plugin-images',
  tools: (host) => {
    const encoders = new Encoders(CONCURRENT_ENCODERS);
    return [
      imagesInfo(host),
      imagesResize(host, encoders),
      imagesConvert(host, encoders),
      imagesThumbnail(host, encoders),
    ];
  },
});
