// Draws each job with three.js, lit by the environment image alone, and sends the picture back.
import * as THREE from "three";
import { ColladaLoader } from "three/addons/loaders/ColladaLoader.js";
import { FBXLoader } from "three/addons/loaders/FBXLoader.js";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { HDRLoader } from "three/addons/loaders/HDRLoader.js";

// The tone mapping that docs/render.md gives.
const TONES = `vec3 CustomToneMapping( vec3 color ) {
  vec3 knee = vec3( 0.6 );
  vec3 above = knee + 0.4 * ( 1.0 - exp( ( knee - max( color, knee ) ) / 0.4 ) );
  return mix( color, above, greaterThan( color, knee ) );
}`;
const chunk = THREE.ShaderChunk.tonemapping_pars_fragment;
const mapped = chunk.replace("vec3 CustomToneMapping( vec3 color ) { return color; }", TONES);
if (mapped === chunk) throw new Error("three.js has no place for a custom tone mapping");
THREE.ShaderChunk.tonemapping_pars_fragment = mapped;

const loaders = { gltf: GLTFLoader, glb: GLTFLoader, fbx: FBXLoader, dae: ColladaLoader };
const post = (path, body) => fetch(path, { method: "POST", body });

// Loads a model with everything it refers to, which some loaders do not wait for.
async function load(path) {
  const manager = new THREE.LoadingManager();
  let settled = false;
  const all = new Promise((done) => (manager.onLoad = () => ((settled = true), done())));
  const loaded = await new loaders[path.split(".").pop()](manager).loadAsync(`/models/${path}`);
  if (!settled) await all;
  const scene = loaded.scene ?? loaded;
  // The FBX loader leaves the unit of the file, in centimetres, to the caller.
  if (scene.userData.unitScaleFactor) scene.scale.setScalar(scene.userData.unitScaleFactor / 100);
  return { scene, clips: loaded.animations ?? scene.animations };
}

// Squares of magenta and grey, which stand for a missing picture.
function checker(like) {
  const data = new Uint8Array(64 * 64 * 4).map((_, i) => {
    const [x, y] = [(i >> 2) % 64 >> 3, (i >> 2) >> 9];
    return [...((x + y) % 2 ? [90, 90, 90] : [220, 0, 220]), 255][i % 4];
  });
  const texture = new THREE.DataTexture(data, 64, 64);
  Object.assign(texture, {
    colorSpace: THREE.SRGBColorSpace, wrapS: like.wrapS, wrapT: like.wrapT, flipY: like.flipY, needsUpdate: true, generateMipmaps: true,
    magFilter: THREE.LinearFilter, minFilter: THREE.LinearMipmapLinearFilter,
  });
  return texture;
}

// Materials that an environment does not light become metal-rough ones, by the formula of docs/fbx.md.
function standard(material) {
  if (!material.isMeshPhongMaterial && !material.isMeshLambertMaterial) return material;
  const { name, color, map, normalMap, emissive, emissiveMap, opacity, transparent, alphaTest, side, vertexColors } = material;
  const shines = material.isMeshPhongMaterial && material.shininess > 0 && material.specular.getHex() !== 0;
  const roughness = shines ? (2 / (material.shininess + 2)) ** 0.25 : 1;
  const out = new THREE.MeshStandardMaterial({ name, color, map, normalMap, emissive, emissiveMap, opacity, transparent, alphaTest, side, vertexColors, roughness });
  if (map && !map.image) out.setValues({ map: checker(map), color: 0xffffff });
  return out;
}

// three.js takes the colours of an FBX file for sRGB; most programs, and we, take them for linear.
function linear(material) {
  material.color.convertLinearToSRGB();
  material.emissive.convertLinearToSRGB();
}

function prepare(scene) {
  const lights = [];
  scene.traverse((object) => {
    if (object.isLight) lights.push(object);
    if (!object.isMesh) return;
    object.frustumCulled = false;
    if (scene.userData.unitScaleFactor) [object.material].flat().forEach(linear);
    object.material = Array.isArray(object.material) ? object.material.map(standard) : standard(object.material);
    [object.material].flat().forEach((material) => (material.toneMapped = !material.isMeshBasicMaterial));
  });
  lights.forEach((light) => light.removeFromParent());
}

function camera({ eye, right, up, back, fov }, scene) {
  const distance = new THREE.Box3().setFromObject(scene).distanceToPoint(new THREE.Vector3(...eye));
  const size = new THREE.Box3().setFromObject(scene).getSize(new THREE.Vector3()).length();
  const camera = new THREE.PerspectiveCamera((fov * 180) / Math.PI, 1, Math.max(distance * 0.5, size * 0.01), distance + size * 4);
  const [r, u, b] = [right, up, back].map((axis) => new THREE.Vector3(...axis));
  const place = new THREE.Matrix4().makeBasis(r, u, b).setPosition(...eye);
  place.decompose(camera.position, camera.quaternion, camera.scale);
  return camera;
}

async function draw(renderer, environment, job) {
  const { scene: model, clips } = await load(job.path);
  prepare(model);
  if (job.clip !== null) {
    const clip = clips[job.clip];
    if (!clip) throw new Error(`${job.path}: no clip ${job.clip}`);
    const mixer = new THREE.AnimationMixer(model);
    const action = mixer.clipAction(clip);
    action.setLoop(THREE.LoopOnce).clampWhenFinished = true;
    action.play();
    mixer.setTime(job.time);
  }
  const scene = new THREE.Scene();
  scene.environment = environment;
  scene.add(model);
  scene.updateMatrixWorld(true);
  renderer.render(scene, camera(job.camera, model));
  const picture = await new Promise((done) => renderer.domElement.toBlob(done, "image/png"));
  await post(`/result/${job.name}-three.png`, picture);
}

async function main() {
  const jobs = await (await fetch("/jobs/jobs.json")).json();
  const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true, preserveDrawingBuffer: true });
  renderer.setSize(jobs[0].size, jobs[0].size);
  renderer.setClearColor(0x000000, 0);
  renderer.toneMapping = THREE.CustomToneMapping;
  const image = await new HDRLoader().loadAsync("/jobs/environment.hdr");
  const environment = new THREE.PMREMGenerator(renderer).fromEquirectangular(image).texture;
  for (const job of jobs) {
    const start = performance.now();
    await draw(renderer, environment, job);
    await post("/note", `${job.name}: ${Math.round(performance.now() - start)} ms`);
  }
}

main().then(() => post("/end", ""), (error) => post("/end", String(error.stack ?? error)));
