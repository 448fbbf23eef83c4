// Plays each job, an animation on a model, with three-vrm, and sends back where the model's own bones are at rest and at some times.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { VRMLoaderPlugin, VRMUtils } from "@pixiv/three-vrm";
import { VRMAnimationLoaderPlugin, createVRMAnimationClip } from "@pixiv/three-vrm-animation";

const post = (path, body) => fetch(path, { method: "POST", body });

const loader = new GLTFLoader();
loader.register((parser) => new VRMLoaderPlugin(parser));
loader.register((parser) => new VRMAnimationLoaderPlugin(parser));

function bones(vrm) {
  vrm.scene.updateMatrixWorld(true);
  const found = {};
  for (const [role, bone] of Object.entries(vrm.humanoid.humanBones)) found[role] = bone.node.matrixWorld.elements.slice();
  return found;
}

async function play(job) {
  const { vrm } = (await loader.loadAsync(`/models/${job.model}`)).userData;
  VRMUtils.rotateVRM0(vrm);
  const rest = bones(vrm);
  const [animation] = (await loader.loadAsync(`/models/${job.animation}`)).userData.vrmAnimations;
  const mixer = new THREE.AnimationMixer(vrm.scene);
  const action = mixer.clipAction(createVRMAnimationClip(animation, vrm));
  action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
  action.play();
  const frames = job.times.map((time) => {
    mixer.setTime(time);
    vrm.humanoid.update();
    vrm.expressionManager.update();
    return { bones: bones(vrm), happy: vrm.expressionManager.getValue("happy") };
  });
  return { rest, frames };
}

async function main() {
  const jobs = await (await fetch("/jobs/jobs.json")).json();
  const results = [];
  for (const job of jobs) results.push(await play(job));
  await post("/result/results.json", JSON.stringify(results));
}

main().then(() => post("/end", ""), (error) => post("/end", String(error.stack ?? error)));
